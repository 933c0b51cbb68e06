import { runCommand } from './cli/run-command.ts';

await runCommand({ argv: process.argv.slice(2), env: process.env });
