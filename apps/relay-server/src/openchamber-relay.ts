import { extname } from 'node:path';
import { keepYoungGenerationSmall } from './cli/memory.ts';
import { runCommand } from './cli/run-command.ts';
import { createRelayProgram } from './relay/program.ts';

keepYoungGenerationSmall();
// The worker is a file of its own beside this one, bundled or not.
const pushWorker = new URL(`./push-worker${extname(import.meta.url)}`, import.meta.url);
await runCommand(createRelayProgram(pushWorker), { argv: process.argv.slice(2), env: process.env });
