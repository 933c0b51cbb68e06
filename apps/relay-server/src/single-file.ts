import { basename } from 'node:path';
import { getAsset } from 'node:sea';
import { keepYoungGenerationSmall } from './cli/memory.ts';
import { runCommand } from './cli/run-command.ts';
import { pushProgram } from './push/program.ts';
import { createRelayProgram } from './relay/program.ts';

// Both commands in one executable, which has the worker of combined mode inside. It does what it is called, as the
// links of a package would: a link to it named openchamber-push-relay is the push relay.
const invocation = { argv: process.argv.slice(2), env: process.env };
if (basename(process.argv0) === pushProgram.command) {
  void runCommand(pushProgram, invocation);
} else {
  keepYoungGenerationSmall();
  void runCommand(
    createRelayProgram(() => getAsset('push-worker.js', 'utf8')),
    invocation,
  );
}
