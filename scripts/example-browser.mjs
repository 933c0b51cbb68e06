// `npm run example:browser`: sets up, then runs the small program of examples/browser and serves its page.
//   npm run example:browser -- --origin-port 3001 --page-port 4174
import { parseArgs } from 'node:util';
import { runExample } from './example/run-example.mjs';
import { setUp } from './setup/set-up.mjs';

const ports = readPorts();
await setUp();
process.exitCode = await runExample(ports);

function readPorts() {
  const options = {
    'origin-port': { type: 'string', default: '3000' },
    'page-port': { type: 'string', default: '4173' },
  };
  try {
    const { values } = parseArgs({ options });
    return { originPort: readPort(values, 'origin-port'), pagePort: readPort(values, 'page-port') };
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

function readPort(values, name) {
  const port = Number(values[name]);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(
      `Invalid --${name}: expected a port from 1 to 65535, got ${JSON.stringify(values[name])}`,
    );
  }
  return port;
}
