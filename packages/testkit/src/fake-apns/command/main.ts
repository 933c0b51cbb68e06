// `npm run fake-apns`: Apple's two push services on loopback, for trying a set-up of openchamber-push-relay.
import process from 'node:process';
import { parseCommandLine } from './command-line.ts';
import type { CommandOptions } from './command-line.ts';
import { startPair } from './fake-pair.ts';
import type { RunningPair } from './fake-pair.ts';
import { exportLines } from './relay-variables.ts';

async function main(): Promise<void> {
  const line = parseCommandLine(process.argv.slice(2));
  if (line.kind === 'run') await run(line.options);
  else if (line.kind === 'help') process.stdout.write(line.text);
  else fail(line.text);
}

async function run(options: CommandOptions): Promise<void> {
  let pair: RunningPair;
  try {
    pair = await startPair(options, (line) => process.stderr.write(line));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    fail(`fake-apns: ${error.message}\n`);
    return;
  }
  const { variables } = pair;
  process.stdout.write(
    options.json === true ? `${JSON.stringify({ status: 'ok', env: variables })}\n` : exportLines(variables),
  );
  let closing: Promise<void> | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // A terminal, npm and the script that started us may all pass on the same Ctrl-C.
    process.on(signal, () => {
      closing ??= pair.close();
    });
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

function fail(text: string): void {
  process.stderr.write(text);
  process.exitCode = 1;
}

await main();
