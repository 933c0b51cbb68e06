// `npm run demo:push`: a push relay and a stand-in for Apple; a Host registers a phone and wakes it.
//   npm run demo:push -- --combined      with the push relay inside the relay
import { runPushDemo } from './demo/run-push-demo.mjs';
import { tool } from './run/workspace.mjs';
import { setUp } from './setup/set-up.mjs';

const [mode, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (mode !== undefined && mode !== '--combined')) {
  process.stderr.write(
    `Expected --combined or nothing, got ${JSON.stringify(process.argv.slice(2).join(' '))}\n`,
  );
  process.exit(1);
}
await setUp();
const command = mode === '--combined' ? 'openchamber-relay' : 'openchamber-push-relay';
process.exitCode = await runPushDemo({ command: tool(command), isCombined: mode === '--combined' });
