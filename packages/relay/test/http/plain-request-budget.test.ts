import { FakeClock } from '@openchambery/testkit';
import type { RawSocket } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import type { ConnectionDropped } from '../../src/index.ts';
import { get, start } from './harness.ts';

const limits = { maxAdmissionsPerIp: 1, admissionWindowMs: 60_000 };
/** Ten plain requests for each admission. */
const MOST = 10;

async function ask(raw: RawSocket, bytes = get('/healthz')): Promise<number> {
  void raw.write(bytes);
  return (await raw.response()).status;
}

describe('the budget of plain requests', () => {
  it('counts those of all connections of an IP, and starts anew with each window', async () => {
    const clock = new FakeClock();
    const { relay, connect } = await start({ limits, clock });
    const drops: ConnectionDropped[] = [];
    relay.on('connectionDropped', (drop) => drops.push(drop));
    const first = await connect();
    const second = await connect();
    for (let i = 0; i < MOST; i++) expect(await ask(i % 2 === 0 ? first : second)).toBe(200);
    void first.write(get('/healthz'));
    await first.ended();
    expect(first.unread()).toHaveLength(0);
    expect(drops).toEqual([
      {
        ip: '127.0.0.1',
        cause: 'plain-rate',
        detail: 'limit: 10 x MAX_ADMISSIONS_PER_IP (10 plain requests in 60 s) reached',
      },
    ]);
    clock.advance(59_999);
    void second.write(get('/healthz'));
    await second.ended();
    clock.advance(1);
    expect(await ask(await connect())).toBe(200);
  });

  it('counts what is no health check too, and CONNECT', async () => {
    const { connect } = await start({ limits, clock: new FakeClock() });
    const raw = await connect();
    for (let i = 0; i < MOST - 1; i++) expect(await ask(raw, get('/nothing'))).toBe(404);
    const connectRequest = 'CONNECT relay.test:443 HTTP/1.1\r\nHost: relay.test\r\n\r\n';
    expect(await ask(raw, connectRequest)).toBe(404);
    const late = await connect();
    void late.write(connectRequest);
    await late.ended();
    expect(late.unread()).toHaveLength(0);
  });

  it('is that of the client, not of the proxy, when the proxy is trusted', async () => {
    const { connect } = await start({ limits, clock: new FakeClock(), trustProxy: true });
    const raw = await connect();
    const from = (ip: string): string => get('/healthz', `X-Forwarded-For: ${ip}\r\n`);
    for (let i = 0; i < MOST; i++) expect(await ask(raw, from('198.51.100.1'))).toBe(200);
    expect(await ask(raw, from('198.51.100.2'))).toBe(200);
    void raw.write(from('198.51.100.1'));
    await raw.ended();
  });

  it('leaves the windows of upgrades alone', async () => {
    const { relay, connect } = await start({ limits, clock: new FakeClock() });
    await ask(await connect());
    expect(relay.snapshot().admissionEntries).toBe(0);
  });
});
