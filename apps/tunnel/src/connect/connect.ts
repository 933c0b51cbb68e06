import { createRelayClient } from '@openchambery/client';
import type { RelayClient } from '@openchambery/client';
import type { PairingFacts } from '@openchambery/tunnel';
import { codeOf, messageOf } from '../cli/describe-value.ts';
import { formatHost, isLoopbackHost } from '../cli/loopback.ts';
import { reportJson } from '../cli/output.ts';
import { parseListenAddress } from '../cli/parse-values.ts';
import type { ListenAddress } from '../cli/parse-values.ts';
import type { Settings } from '../cli/settings.ts';
import type { Surroundings } from '../cli/surroundings.ts';
import { whenStopping } from '../cli/surroundings.ts';
import { UsageError } from '../cli/usage-error.ts';
import { createReport } from '../terminal/report.ts';
import { startTicker } from '../terminal/ticker.ts';
import { clientFields, clientStage, describeClient } from './client-text.ts';
import { keepTrying } from './keep-trying.ts';
import { createLocalServer } from './local-server.ts';
import type { LocalServer } from './local-server.ts';
import { describePairingRefusal, PairingStanding } from './pairing-standing.ts';
import { readLink } from './read-link.ts';
import { createRequestGuard } from './request-guard.ts';

const DEFAULT_LISTEN: ListenAddress = { host: '127.0.0.1', port: 8080 };

/** How often counters are told, in ms. */
const TICK_MS = 500;

/**
 * Runs `connect` until it is stopped.
 * @returns the exit code.
 * @throws {UsageError} when it cannot begin.
 */
export async function runConnect(settings: Settings, surroundings: Surroundings): Promise<number> {
  const listen = settings.read('--listen', parseListenAddress) ?? DEFAULT_LISTEN;
  const facts = await readLink(settings.operand(0), settings, surroundings);
  const client = createRelayClient({ ...facts, clock: surroundings.clock });
  const standing = new PairingStanding();
  const server = createLocalServer({
    door: client,
    guard: createRequestGuard(listen.host),
    onVerdict: (verdict) => standing.judge(verdict),
  });
  try {
    const port = await listenOrSay(server, listen);
    announce({ listen: { ...listen, port }, facts }, surroundings);
    await run({ client, server, standing }, surroundings);
  } finally {
    // In this order local WebSockets hear that we stop, not that the tunnel broke.
    await server.close();
    client.close();
  }
  return 0;
}

interface Parts {
  readonly client: RelayClient;
  readonly server: LocalServer;
  readonly standing: PairingStanding;
}

async function run({ client, server, standing }: Parts, surroundings: Surroundings): Promise<void> {
  const { clock } = surroundings;
  const report = createReport(
    {
      describe: (detail) => {
        return describeClient(client, { openCount: server.openCount, refusal: standing.refusal, detail });
      },
      fields: () => clientFields(client.status, standing.refusal),
      stage: () => clientStage(client.status),
    },
    surroundings,
  );
  standing.onChange((refusal) => {
    if (refusal !== undefined) report.warn(`Warning: ${describePairingRefusal(refusal)}\n`);
    report.update();
  });
  const stopListening = client.onStatus(() => report.update());
  const stopTrying = keepTrying(client, clock);
  const stopTicker = startTicker(() => report.update(), TICK_MS, clock);
  report.update();
  await whenStopping(surroundings);
  stopTicker();
  stopTrying();
  stopListening();
  report.end();
}

async function listenOrSay(server: LocalServer, { host, port }: ListenAddress): Promise<number> {
  try {
    const address = await server.listen(host, port);
    return address.port;
  } catch (error) {
    const code = codeOf(error);
    const reason = LISTEN_FAULTS[code ?? ''] ?? `${messageOf(error)};`;
    throw new UsageError(
      `Cannot listen on ${formatHost(host)}:${port}: ${reason} choose another address with --listen (${code ?? 'unknown'})`,
      { cause: error },
    );
  }
}

/** By the error code of `listen` (errno names, getaddrinfo names). */
const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is in use by another program;',
  EACCES: 'permission denied (ports below 1024 often need privileges);',
  EADDRNOTAVAIL: 'this machine does not have that address;',
  ENOTFOUND: 'the host name is not known;',
};

interface Announced {
  readonly listen: ListenAddress;
  readonly facts: PairingFacts;
}

function announce({ listen: { host, port }, facts }: Announced, { output, style }: Surroundings): void {
  const { serverId, relayUrl } = facts;
  const url = `http://${formatHost(host)}:${port}`;
  if (!isLoopbackHost(host)) {
    output.stderr(
      'Warning: the port is open to the network: whoever reaches this machine reaches the origin with your pairing; ' +
        'listen on 127.0.0.1 to keep it to yourself\n',
    );
  }
  if (style.json) {
    reportJson(output, { status: 'ok', url, host, port, serverId, relayUrl });
  } else if (!style.quiet) {
    output.stdout(`Listening at ${url}, which is the origin behind ${relayUrl}\n`);
  }
}
