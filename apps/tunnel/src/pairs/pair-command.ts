import { loadHostKeys } from '@openchambery/host';
import { formatPairingLink } from '@openchambery/tunnel';
import { describeValue } from '../cli/describe-value.ts';
import { RELAY_VARIABLE } from '../cli/commands.ts';
import { reportJson } from '../cli/output.ts';
import { parseRelayUrl } from '../cli/parse-relay-url.ts';
import { parseLabel, parsePageUrl } from '../cli/parse-values.ts';
import { parseNamed } from '../cli/settings.ts';
import type { Settings } from '../cli/settings.ts';
import type { Surroundings } from '../cli/surroundings.ts';
import { UsageError } from '../cli/usage-error.ts';
import { formatLink } from '../expose/announcement.ts';
import { recallExposure } from '../state/exposure-memory.ts';
import { readIfThere } from '../state/private-file.ts';
import { resolveExposure } from '../state/resolve-exposure.ts';
import type { NamedExposure } from '../state/resolve-exposure.ts';
import { addPairing } from './pairing-changes.ts';
import type { Pairing } from './pairing.ts';
import { PairingStore } from './pairing-store.ts';

/**
 * Makes a pairing and prints its link.
 * @throws {UsageError} when there is nothing to pair with yet.
 */
export async function runPair(settings: Settings, surroundings: Surroundings): Promise<number> {
  const exposure = resolveExposure(settings);
  const word = settings.operand(0);
  const label = word === undefined ? undefined : parseNamed('LABEL', word, parseLabel);
  const given = {
    relayUrl: settings.read('--relay', parseRelayUrl),
    pageUrl: settings.read('--page', parsePageUrl),
  };
  await requireIdentity(exposure);
  const memory = await recallExposure(exposure.files);
  const relayUrl = given.relayUrl ?? memory?.relayUrl;
  if (relayUrl === undefined) {
    throw new UsageError(`Missing relay: run expose first, or give --relay or ${RELAY_VARIABLE}`);
  }
  const { signing, encryption } = await loadHostKeys(exposure.files.identity);
  const { serverId } = signing;
  const { id, label: madeLabel, secret } = await makePairing(exposure, label, surroundings);
  const facts = { relayUrl, serverId, hostEncPubJwk: encryption.publicJwk, secret };
  const link = formatPairingLink(facts, given.pageUrl ?? memory?.pageUrl);
  if (memory?.isSecret === false) {
    surroundings.output.stderr(
      'Warning: the last expose ran with --no-secret: as long as it does, no pairing is needed\n',
    );
  }
  const { output, style } = surroundings;
  if (style.json) {
    reportJson(output, { status: 'ok', link, id, label: madeLabel, serverId, relayUrl, name: exposure.name });
  } else if (style.quiet) {
    output.stdout(`${link}\n`);
  } else {
    const wantsQrCode = settings.has('--qr');
    output.stdout(
      `The link of the new pairing ${describeValue(madeLabel)} (${id}):\n${formatLink(link, { wantsQrCode }, surroundings)}`,
    );
  }
  return 0;
}

async function makePairing(
  { files }: NamedExposure,
  label: string | undefined,
  { clock }: Surroundings,
): Promise<Pairing> {
  let made: Pairing | undefined;
  await new PairingStore(files, clock).update((pairings) => {
    const added = addPairing(pairings, label, clock.epochMs());
    made = added.made;
    return added.pairings;
  });
  if (made === undefined) throw new Error('a change of the pairings was not made');
  return made;
}

/**
 * An exposure that was never started has no keys that a link could name.
 * @throws {UsageError} when there is none of that name.
 */
export async function requireIdentity({ name, files }: NamedExposure): Promise<void> {
  const text = await readIfThere(files.identity);
  if (text !== undefined) return;
  throw new UsageError(
    `There is no exposure "${name}" in ${describeValue(files.folder)}: run openchamber-tunnel expose once, or name another with --name or --state`,
  );
}
