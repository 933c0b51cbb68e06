import { describeValue } from '../cli/describe-value.ts';
import { reportJson } from '../cli/output.ts';
import type { Settings } from '../cli/settings.ts';
import type { Surroundings } from '../cli/surroundings.ts';
import { resolveExposure } from '../state/resolve-exposure.ts';
import { requireIdentity } from './pair-command.ts';
import type { Pairing } from './pairing.ts';
import { PairingStore } from './pairing-store.ts';

/** Lists the pairings, without their secrets. @throws {UsageError} when they cannot be read. */
export async function runPairs(settings: Settings, surroundings: Surroundings): Promise<number> {
  const exposure = resolveExposure(settings);
  await requireIdentity(exposure);
  const { live } = await new PairingStore(exposure.files, surroundings.clock).read();
  const { output, style } = surroundings;
  if (style.json) {
    const pairings = live.map(({ id, label, createdAt, lastUsedAt }) => ({
      id,
      label,
      createdAt: new Date(createdAt).toISOString(),
      lastUsedAt: lastUsedAt === undefined ? null : new Date(lastUsedAt).toISOString(),
    }));
    reportJson(output, { status: 'ok', name: exposure.name, pairings });
  } else if (live.length > 0) {
    output.stdout(formatTable(live));
  } else if (!style.quiet) {
    output.stdout('There are no pairings; openchamber-tunnel pair makes one.\n');
  }
  return 0;
}

function formatTable(live: readonly Pairing[]): string {
  const rows = [
    ['ID', 'MADE', 'LAST USED', 'LABEL'],
    ...live.map(({ id, label, createdAt, lastUsedAt }) => [
      id,
      formatMinute(createdAt),
      lastUsedAt === undefined ? 'never' : formatMinute(lastUsedAt),
      isPlain(label) ? label : describeValue(label),
    ]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`)
    .join('');
}

/** In UTC, as the file has it. */
function formatMinute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

function isPlain(label: string): boolean {
  return /^[\x20-\x7e]+$/.test(label);
}
