import { type Figure, Ledger } from '../../measure/ledger.ts';
import { waitNs } from '../../measure/process-meter.ts';
import { percentile } from '../../measure/statistics.ts';
import { measureWindow } from '../../measure/window.ts';
import { withClosedLoop } from '../load/closed-loop.ts';
import { ConnectionPool } from '../load/connection-pool.ts';
import { DirectApns } from '../load/direct-apns.ts';
import { openLoop } from '../load/open-loop.ts';
import { type RequestSource, type SignedRequest, sends } from '../load/signed-requests.ts';
import { warmUp } from '../load/warm-up.ts';
import { startPushRelay, type Target } from '../rivals/target.ts';
import { type PushBenchContext, type PushScenario, withTargets } from './scenario.ts';

const LOAD = 0.3;
const CONNECTIONS = 64;
const VARIANT = '1 token, 30 % load';
const PERCENTILES = [
  ['p50', 0.5],
  ['p99', 0.99],
] as const;

/** How long the relay was ready and other work had its core: a latency with more than a little of it says nothing. */
const WAITED: Figure = { variant: VARIANT, figure: 'relay waited for its core', unit: '%' };
const MAX_WAITED_PERCENT = 3;

type Percentile = (typeof PERCENTILES)[number][0];

/** How long a push takes through the relay, less how long the provider itself takes at the same rate. */
export const latency: PushScenario = async (context) => {
  const ledger = new Ledger('latency');
  const source = sends(context.fleet, 1);
  await withTargets([() => startPushRelay(context, 'latency')], async ([target]) => {
    if (target === undefined) {
      throw new Error('the push relay did not start');
    }
    const perSecond = LOAD * (await capacity(context, { target, source }));
    await withPeers(context, target, async (peers) => {
      for (let round = 0; round < context.rounds; round += 1) {
        context.progress(`latency at ${Math.round(perSecond)} requests a second, round ${round + 1}`);
        await measureRound(context, { ledger, source, perSecond, peers });
      }
    });
    ledger.add('push', { variant: VARIANT, figure: 'arrivals', unit: '1/s' }, perSecond);
  });
  const waited = ledger.rounds('push', WAITED);
  const note =
    waited.length > 0 && percentile(waited, 0.5) > MAX_WAITED_PERCENT
      ? { note: 'OTHER WORK HELD THE CORE' }
      : {};
  const checks = PERCENTILES.map(([name]) =>
    ledger.boundCheck({
      figure: figureOf(name, 'added'),
      values: ledger.rounds('push', figureOf(name, 'added')),
      ...note,
      ...(name === 'p50' ? { bound: { relation: '≤', value: 1 } as const } : {}),
    }),
  );
  return { measurements: ledger.measurements(), checks };
};

/** Requests per second of CPU under full load. */
async function capacity(
  context: PushBenchContext,
  { target, source }: { readonly target: Target; readonly source: RequestSource },
): Promise<number> {
  const { quick, progress } = context;
  const loopOptions = { port: target.port, concurrency: CONNECTIONS, source };
  progress('latency: what full load is');
  await warmUp(loopOptions, { ...context, pid: target.pid });
  return withClosedLoop(loopOptions, async (loop) => {
    const window = await measureWindow(target.pid, quick ? 1000 : 4000, () => loop.requestCount);
    return (window.count * 1e6) / window.cpuMicroseconds;
  });
}

interface Peers {
  readonly target: Target;
  readonly pool: ConnectionPool;
  readonly direct: DirectApns;
}

async function withPeers(
  { provider }: PushBenchContext,
  target: Target,
  work: (peers: Peers) => Promise<void>,
): Promise<void> {
  const pool = await ConnectionPool.open(target.port, CONNECTIONS);
  try {
    const direct = await DirectApns.open(provider.url, provider.caPem);
    try {
      await work({ target, pool, direct });
    } finally {
      direct.close();
    }
  } finally {
    pool.close();
  }
}

interface Round {
  readonly ledger: Ledger;
  readonly source: RequestSource;
  readonly perSecond: number;
  readonly peers: Peers;
}

async function measureRound(
  { quick, fleet }: PushBenchContext,
  { ledger, source, perSecond, peers: { target, pool, direct } }: Round,
): Promise<void> {
  const seconds = quick ? 2 : 5;
  const rhythm = { perSecond, seconds };
  const straight = await openLoop({
    ...rhythm,
    issue: (index) => direct.push(fleet[index % fleet.length]?.tokens[0] ?? ''),
  });
  // Signed beforehand, so that signing does not hold up the generator's own clock.
  const signed = Array.from({ length: Math.round(perSecond * seconds) + 1 }, source);
  const before = { waited: waitNs(target.pid), time: performance.now() };
  const through = await openLoop({ ...rhythm, issue: (index) => pool.request(requestAt(signed, index)) });
  const waitedMs = (waitNs(target.pid) - before.waited) / 1e6;
  ledger.add('push', WAITED, (100 * waitedMs) / (performance.now() - before.time));
  for (const [name, fraction] of PERCENTILES) {
    const [ours, provider] = [percentile(through, fraction), percentile(straight, fraction)];
    ledger.add('push', figureOf(name, 'through the relay'), ours);
    ledger.add('push', figureOf(name, 'straight to the provider'), provider);
    ledger.add('push', figureOf(name, 'added'), ours - provider);
  }
}

function requestAt(signed: readonly SignedRequest[], index: number): SignedRequest {
  const request = signed[index];
  if (request === undefined) {
    throw new Error('more arrivals than requests');
  }
  return request;
}

function figureOf(name: Percentile, what: string): Figure {
  return { variant: VARIANT, figure: `${name} ${what}`, unit: 'ms' };
}
