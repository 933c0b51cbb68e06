import { loadHostKeys } from '@openchambery/host';
import type { HostKeys } from '@openchambery/host';
import { formatPairingLink } from '@openchambery/tunnel';
import { describeValue } from '../cli/describe-value.ts';
import { isLoopbackHost } from '../cli/loopback.ts';
import { reportJson } from '../cli/output.ts';
import type { Settings } from '../cli/settings.ts';
import type { Surroundings } from '../cli/surroundings.ts';
import { UsageError } from '../cli/usage-error.ts';
import { PairingStore } from '../pairs/pairing-store.ts';
import { addPairing, pairingToShow } from '../pairs/pairing-changes.ts';
import type { Pairing } from '../pairs/pairing.ts';
import { rememberExposure } from '../state/exposure-memory.ts';
import { takeLock } from '../state/lock-file.ts';
import type { HeldLock } from '../state/lock-file.ts';
import { makeFolder } from '../state/state-folder.ts';
import { formatLink } from './announcement.ts';
import { resolveExpose } from './expose-config.ts';
import type { ExposeConfig } from './expose-config.ts';
import { serveHost } from './serve-host.ts';

/**
 * Runs `expose` until it is stopped.
 * @returns the exit code.
 * @throws {UsageError} when it cannot begin.
 */
export async function runExpose(settings: Settings, surroundings: Surroundings): Promise<number> {
  const config = resolveExpose(settings);
  await makeFolder(config.files);
  const lock = await takeRunLock(config, surroundings);
  try {
    const keys = await loadHostKeys(config.files.identity);
    const store = new PairingStore(config.files, surroundings.clock);
    const pairing = await pairingFor(store, config, surroundings);
    await rememberExposure(config.files, config);
    // Options that the Host refuses are told before anything is announced.
    const host = serveHost({ config, keys, store }, surroundings);
    announce({ config, keys, pairing }, surroundings);
    await host.run();
    return 0;
  } finally {
    await lock.release();
  }
}

/** Two Hosts of one identity would take the relay's control connection from each other, for ever. */
async function takeRunLock({ files, name }: ExposeConfig, { clock }: Surroundings): Promise<HeldLock> {
  const outcome = await takeLock(files.runLock, { clock, waitMs: 0 });
  if (outcome.state === 'held') return outcome.lock;
  const { pid, host } = outcome.by;
  throw new UsageError(
    `The exposure "${name}" runs already, as process ${pid} on ${describeValue(host)}: stop that one, or give this ` +
      `one another --name; if there is no such process any more, delete ${describeValue(files.runLock)}`,
  );
}

/** The pairing whose link is shown. A file that is not usable ends the command, shown or not. */
async function pairingFor(
  store: PairingStore,
  config: ExposeConfig,
  surroundings: Surroundings,
): Promise<Pairing | undefined> {
  if (!config.isSecret) return undefined;
  if (config.showsLink) return findOrMakePairing(store, config, surroundings);
  await store.read();
  return undefined;
}

async function findOrMakePairing(
  store: PairingStore,
  { label }: ExposeConfig,
  { clock }: Surroundings,
): Promise<Pairing> {
  let shown: Pairing | undefined;
  await store.update((pairings) => {
    shown = pairingToShow(pairings, label);
    if (shown !== undefined) return pairings;
    const added = addPairing(pairings, label, clock.epochMs());
    shown = added.made;
    return added.pairings;
  });
  if (shown === undefined) throw new Error('a change of the pairings was not made');
  return shown;
}

interface Announced {
  readonly config: ExposeConfig;
  readonly keys: HostKeys;
  readonly pairing: Pairing | undefined;
}

function announce({ config, keys, pairing }: Announced, surroundings: Surroundings): void {
  const { origin, relayUrl, name, pageUrl, showsLink } = config;
  const { output, style } = surroundings;
  const { serverId } = keys.signing;
  const facts = { relayUrl, serverId, hostEncPubJwk: keys.encryption.publicJwk, secret: pairing?.secret };
  const link = showsLink ? formatPairingLink(facts, pageUrl) : undefined;
  for (const warning of warningsAbout(config)) output.stderr(`${warning}\n`);
  if (style.json) {
    reportJson(output, { status: 'ok', link, serverId, relayUrl, origin, name });
  } else if (!style.quiet) {
    output.stdout(`Exposing ${origin} through ${relayUrl}\n`);
    if (link !== undefined) output.stdout(introduceLink(pairing) + formatLink(link, config, surroundings));
  }
}

function introduceLink(pairing: Pairing | undefined): string {
  const whose = pairing === undefined ? 'without a secret' : `of the pairing ${describeValue(pairing.label)}`;
  return `The link ${whose}; whoever has it reaches the origin:\n`;
}

function warningsAbout({ relayUrl, isSecret }: ExposeConfig): readonly string[] {
  const { protocol, hostname } = new URL(relayUrl);
  const warnings: string[] = [];
  if (protocol === 'ws:' && !isLoopbackHost(hostname)) {
    warnings.push(
      'Warning: the relay is reached by ws://, without TLS: what goes through the tunnel stays encrypted, but the ' +
        'network sees who speaks with whom; use wss:// where the relay has it',
    );
  }
  if (!isSecret) {
    warnings.push(
      'Warning: --no-secret lets in everybody who knows the link, for good: there is no secret that can be revoked; ' +
        'use it only for an origin that asks for a login of its own',
    );
  }
  return warnings;
}
