// `npm run demo`: a relay, a Host and a Client as three processes; a random file goes Client -> Host -> Client.
//   npm run demo -- 8      with 8 MiB in place of 64
import { runDemo } from './demo/run-demo.mjs';
import { tool } from './run/workspace.mjs';
import { setUp } from './setup/set-up.mjs';

const mebibytes = Number(process.argv[2] ?? 64);
if (!Number.isInteger(mebibytes) || mebibytes < 1 || mebibytes > 65_536) {
  process.stderr.write(`Expected a number of MiB from 1 to 65536, got ${JSON.stringify(process.argv[2])}\n`);
  process.exit(1);
}
await setUp();
process.exitCode = await runDemo({ command: tool('openchamber-relay'), bytes: mebibytes * 1024 * 1024 });
