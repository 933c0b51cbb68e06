// A small program at home, for want of one of your own: answers on a loopback address only.
//   node origin/main.ts [port]
import { startOrigin } from './origin.ts';

const port = Number(process.argv[2] ?? 3000);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  process.stderr.write(`Expected a port from 0 to 65535, got ${JSON.stringify(process.argv[2])}\n`);
  process.exit(1);
}
try {
  const origin = await startOrigin(port);
  process.stdout.write(`A small program to reach: ${origin.url}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void origin.close());
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
