import type { Order, Outcome } from '../orders.ts';
import { ready, say } from '../parties/party-process.ts';
import type { Path, Session } from './session.ts';

/** Carries out what the parent process asks for, one order at a time. */
export function takeOrders(path: Path): void {
  process.on('message', (order: Order) => {
    carryOut(path, order).then(
      (outcome) => say({ kind: 'done', outcome }),
      (error: unknown) => say({ kind: 'failed', message: String(error) }),
    );
  });
  ready({});
}

async function carryOut(path: Path, order: Order): Promise<Outcome> {
  switch (order.kind) {
    case 'download':
    case 'upload':
      return await bulk(path, order);
    case 'small': {
      const share = Math.ceil(order.count / order.concurrency);
      return await inLanes(await path.sessions(order.concurrency), (session) =>
        repeat(share, () => timed(() => session.small())),
      );
    }
    case 'answers':
      return await inLanes(await path.sessions(1), (session) => answers(session, order));
    case 'drops':
      return await inLanes(await path.sessions(1), (session) => repeat(order.count, () => session.drops()));
  }
}

async function bulk(path: Path, order: Extract<Order, { streams: number }>): Promise<Outcome> {
  const sessions = await path.sessions(order.streams);
  const share = Math.ceil(order.bytes / order.streams);
  return await inLanes(sessions, async (session) => {
    await session[order.kind](share);
    return [];
  });
}

async function answers(
  session: Session,
  { sizes, count }: Extract<Order, { kind: 'answers' }>,
): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    for (const bytes of sizes) times.push(await timed(() => session.download(bytes)));
  }
  return times;
}

async function inLanes(
  sessions: readonly Session[],
  work: (session: Session) => Promise<number[]>,
): Promise<Outcome> {
  const began = performance.now();
  const times = await Promise.all(sessions.map(work));
  return { seconds: (performance.now() - began) / 1000, timesMs: times.flat() };
}

async function repeat(count: number, work: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn += 1) times.push(await work());
  return times;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
