import { encodeUpgrade } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import type { ConnectionDropped } from '../../src/index.ts';
import { get, start } from './harness.ts';

const MOST = 8;

describe('requests that do not wait for the answer before them', () => {
  it('are answered in order when they are few', async () => {
    const { connect } = await start();
    const raw = await connect();
    const targets = ['/healthz', '/nothing'];
    void raw.write(targets.flatMap((target) => Array<string>(MOST / 2).fill(get(target))).join(''));
    const statuses: number[] = [];
    for (let i = 0; i < MOST; i++) statuses.push((await raw.response()).status);
    expect(statuses).toEqual([200, 200, 200, 200, 404, 404, 404, 404]);
    await raw.write(get('/readyz'));
    expect((await raw.response()).status).toBe(200);
  });

  it.each([
    ['one more than allowed', get('/healthz').repeat(MOST + 1)],
    ['a read full of them', get('/').repeat(2400)],
    ['an upgrade behind too many', get('/').repeat(MOST) + encodeUpgrade({ target: '/ws' }).bytes],
    ['a read full of expectations', get('/', 'Expect: x\r\n').repeat(1200)],
  ])('cost the connection: %s', async (_name, bytes) => {
    const { relay, connect } = await start();
    const drops: ConnectionDropped[] = [];
    relay.on('connectionDropped', (drop) => drops.push(drop));
    const raw = await connect();
    void raw.write(bytes);
    await raw.ended();
    const answers = raw.unread().toString('latin1').split('HTTP/1.1 ').length - 1;
    expect(answers).toBeLessThanOrEqual(MOST);
    expect(drops).toMatchObject([{ cause: 'pipelining', ip: '127.0.0.1' }]);
    expect(relay.snapshot().totals.droppedConnections).toBe(1);
  });

  it('get nothing behind a last answer', async () => {
    const { connect } = await start();
    const raw = await connect();
    void raw.write('GET / HTTP/1.1\r\n\r\n'.repeat(2400));
    expect((await raw.response()).status).toBe(400);
    await raw.ended();
    expect(raw.unread()).toHaveLength(0);
  });

  it('are not what a client does that waits: it is served for as long as it likes', async () => {
    const { connect } = await start();
    const raw = await connect();
    for (let i = 0; i < 5 * MOST; i++) {
      void raw.write(get('/healthz'));
      expect((await raw.response()).status).toBe(200);
    }
  });
});

describe('a body in chunks', () => {
  const head = `POST /ws HTTP/1.1\r\nHost: relay.test\r\nTransfer-Encoding: chunked\r\n\r\n`;

  it('is not read: the answer comes at once and is the last', async () => {
    const { connect } = await start();
    const raw = await connect();
    void raw.write(head);
    const answer = await raw.response();
    expect([answer.status, answer.headers['connection']]).toEqual([404, 'close']);
    await raw.ended();
  });

  it('is cut short where it is many tiny ones', async () => {
    const { connect } = await start();
    const raw = await connect();
    void raw.write(head + '1\r\na\r\n'.repeat(10_000));
    await raw.ended();
  });
});

describe('an upgrade while an answer is on its way', () => {
  const upgrade = encodeUpgrade({ target: '/ws?v=1' }).bytes;

  it.each([1, 2, 5])('is refused behind %d requests, and every answer comes in order', async (count) => {
    const { connect } = await start();
    const raw = await connect();
    void raw.write(get('/healthz').repeat(count) + upgrade);
    for (let i = 0; i < count; i++) expect((await raw.response()).status).toBe(200);
    const refused = await raw.response();
    expect([refused.status, refused.headers['cache-control'], refused.headers['connection']]).toEqual([
      400,
      'no-store',
      'close',
    ]);
    expect(await raw.ended()).toBe('fin');
    expect(raw.unread()).toHaveLength(0);
  });

  it('is taken once the answer is there', async () => {
    const { connect } = await start();
    const raw = await connect();
    void raw.write(get('/healthz'));
    await raw.response();
    void raw.write(upgrade);
    expect((await raw.responseHead()).status).toBe(101);
  });
});
