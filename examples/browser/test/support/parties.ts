import { startFaultProxy, startTestOrigin } from '@openchambery/testkit';
import type { FaultProxy, RelayProcess, StartRelayOptions, TestOrigin } from '@openchambery/testkit';
import { formatPairingLink, parsePairingLink } from '@openchambery/tunnel';
import type { PairingFacts } from '@openchambery/tunnel';
import { inject } from 'vitest';
import type { Running } from '../../../../apps/tunnel/test/e2e/support/command.ts';
import type { Keep } from '../../../../apps/tunnel/test/e2e/support/keep.ts';
import { expose, ownFolder, ownRelay, ROOMY } from '../../../../apps/tunnel/test/e2e/support/tunnel.ts';
import { startOrigin } from '../../origin/origin.ts';
import { serveFolder } from './static-server.ts';

/** Everyone but the page. */
export interface Parties {
  readonly relay: RelayProcess;
  /** Between the page and the relay; nothing is wrong with it unless a test says so. */
  readonly proxy: FaultProxy;
  readonly host: Running;
  readonly originUrl: string;
  /** Where `expose` keeps its pairings. */
  readonly state: string;
  /** Where the page is, with a slash at the end. */
  readonly pageUrl: string;
  /** Opens the page, and pairs it. */
  readonly link: string;
}

/** The same, with the origin of tests. */
export interface TestParties extends Parties {
  readonly origin: TestOrigin;
}

/** What is not as usual. */
export interface PartiesOptions {
  /** @default 'example' */
  readonly page?: 'example' | 'harness';
  /** Limits of the relay. */
  readonly limits?: StartRelayOptions['limits'];
}

/** Relay, `expose`, the program of the example, and its built page. */
export async function exampleParties(keep: Keep, options: PartiesOptions = {}): Promise<Parties> {
  const origin = await startOrigin(0);
  keep(() => origin.close());
  return await partiesOf(keep, origin.url, options);
}

/** The origin of tests in place of the example's, and the page that gives them the Client. */
export async function testParties(keep: Keep): Promise<TestParties> {
  const origin = await startTestOrigin();
  keep(() => origin.close());
  return { ...(await partiesOf(keep, origin.url, { page: 'harness' })), origin };
}

/** Relay, `expose` of this origin, and a page. */
export async function partiesOf(
  keep: Keep,
  originUrl: string,
  { page = 'example', limits = {} }: PartiesOptions = {},
): Promise<Parties> {
  const [relay, state, pageUrl] = await Promise.all([
    ownRelay(keep, { limits: { ...ROOMY, ...limits } }),
    ownFolder(keep),
    serveFolder(inject(page === 'example' ? 'pageFolder' : 'harnessFolder'), keep),
  ]);
  const proxy = await startFaultProxy({ target: { host: relay.host, port: relay.port } });
  keep(() => proxy.close());
  const args = [originUrl, '--relay', relay.url, '--state', state, '--page', pageUrl];
  const { command: host, link } = await expose(args, keep);
  const throughProxy = changeLink(link, pageUrl, { relayUrl: `ws://${proxy.authority}${relay.path}` });
  return { relay, proxy, host, originUrl, state, pageUrl, link: throughProxy };
}

/** A pairing link that leads elsewhere. */
export function changeLink(link: string, pageUrl: string, changes: Partial<PairingFacts>): string {
  const facts = parsePairingLink(link);
  if ('fault' in facts) throw new Error(facts.message);
  return formatPairingLink({ ...facts, ...changes }, pageUrl);
}

/** What a link has to keep to itself. */
export function secretOf(link: string): string {
  const facts = parsePairingLink(link);
  if ('fault' in facts || facts.secret === undefined) throw new Error('a link without a secret');
  return facts.secret;
}
