import { keepYoungGenerationSmall } from './cli/memory.ts';
import { runCommand } from './cli/run-command.ts';

keepYoungGenerationSmall();
await runCommand(process.argv.slice(2), process.env);
