import { reportJson } from '../cli/output.ts';
import { describeValue } from '../cli/describe-value.ts';
import type { Settings } from '../cli/settings.ts';
import type { Surroundings } from '../cli/surroundings.ts';
import { UsageError } from '../cli/usage-error.ts';
import { resolveExposure } from '../state/resolve-exposure.ts';
import { requireIdentity } from './pair-command.ts';
import { revokePairings } from './pairing-changes.ts';
import type { Pairing } from './pairing.ts';
import { PairingStore } from './pairing-store.ts';

/** Revokes pairings. @throws {UsageError} when a word names none; then nothing is revoked. */
export async function runRevoke(settings: Settings, surroundings: Surroundings): Promise<number> {
  const exposure = resolveExposure(settings);
  const { operands } = settings;
  const isAll = settings.has('--all');
  if (isAll === operands.length > 0) {
    throw new UsageError(
      isAll
        ? 'Unexpected argument: expected either --all or pairings by id or label'
        : 'Missing pairing: expected its id or label, as pairs lists them, or --all',
    );
  }
  await requireIdentity(exposure);
  const { clock, output, style } = surroundings;
  let revoked: readonly Pairing[] = [];
  await new PairingStore(exposure.files, clock).update((before) => {
    const words = isAll ? before.live.map(({ id }) => id) : operands;
    const after = revokePairings(before, words, clock.epochMs());
    revoked = before.live.filter((pairing) => !after.live.includes(pairing));
    return after;
  });
  if (style.json) {
    reportJson(output, {
      status: 'ok',
      name: exposure.name,
      revoked: revoked.map(({ id, label }) => ({ id, label })),
    });
  } else if (!style.quiet) {
    const lines = revoked.map(({ id, label }) => `Revoked ${id} (${describeValue(label)})\n`);
    output.stdout(lines.length === 0 ? 'There was nothing to revoke.\n' : lines.join(''));
  }
  return 0;
}
