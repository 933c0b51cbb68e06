import { runCommand } from './cli/run-command.ts';
import { pushProgram } from './push/program.ts';

await runCommand(pushProgram, { argv: process.argv.slice(2), env: process.env });
