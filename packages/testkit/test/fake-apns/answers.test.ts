import { describe, expect, it } from 'vitest';
import { hold } from '../../src/index.ts';
import { Client, start, TOKEN, TOPIC } from './client.ts';

const ID = '8f7a6e5d-4c3b-4a29-9182-736455647382';
const OTHER = 'cd'.repeat(32);

describe('fakeApns answers', () => {
  it('accepts a push with an empty 200 that echoes its apns-id', async () => {
    const client = new Client(await start());
    const outcome = await client.push({ headers: { 'apns-id': ID } });
    expect(outcome).toMatchObject({ status: 200, body: '', rstCode: 0, error: undefined, streamId: 1 });
    expect(outcome.headers['apns-id']).toBe(ID);
  });

  it('makes an apns-id where none was sent, and records the same', async () => {
    const apns = await start();
    const { headers } = await new Client(apns).push();
    expect(headers['apns-id']).toMatch(/^[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}$/);
    expect(apns.requests[0]?.apnsId).toBe(headers['apns-id']);
  });

  it('answers with reason, timestamp, retry-after and headers', async () => {
    const apns = await start();
    const client = new Client(apns);
    apns.script(TOKEN, { status: 410, reason: 'Unregistered', timestampMs: 1_700_000_000_123 });
    const dead = await client.push();
    expect(dead.status).toBe(410);
    expect(JSON.parse(dead.body)).toEqual({ reason: 'Unregistered', timestamp: 1_700_000_000_123 });
    apns.script(TOKEN, { status: 503, reason: 'Shutdown', retryAfter: 7, headers: { 'x-extra': 'yes' } });
    const busy = await client.push();
    expect(busy.headers).toMatchObject({ ':status': 503, 'retry-after': '7', 'x-extra': 'yes' });
    expect(busy.body).toBe('{"reason":"Shutdown"}');
  });

  it('sends a body that makes no sense as it is', async () => {
    const apns = await start();
    apns.scriptAll({ status: 400, body: '{"reas' });
    expect(await new Client(apns).push()).toMatchObject({ status: 400, body: '{"reas' });
  });

  it('answers after the delay', async () => {
    const apns = await start();
    const client = new Client(apns);
    apns.scriptOnce({ status: 200, delayMs: 60 });
    const startedAt = performance.now();
    await client.push();
    // Node's timers may run a millisecond early.
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(59);
  });

  it('plays the script of a token in order and stays with its last reaction', async () => {
    const apns = await start();
    const client = new Client(apns);
    apns.script(TOKEN, { status: 500 }, { status: 503 }, { status: 410 });
    const statuses: unknown[] = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await client.push()).status);
    expect(statuses).toEqual([500, 503, 410, 410]);
    apns.script(TOKEN);
    expect((await client.push()).status).toBe(200);
  });

  it('prefers what is scripted once, then the token, then all', async () => {
    const apns = await start();
    const client = new Client(apns);
    apns.scriptAll({ status: 500 });
    apns.script(TOKEN, { status: 410 });
    apns.scriptOnce({ status: 429 });
    expect((await client.push()).status).toBe(429);
    expect((await client.push({ token: TOKEN.toUpperCase() })).status).toBe(410);
    expect((await client.push({ token: OTHER })).status).toBe(500);
    apns.scriptAll(undefined);
    expect((await client.push({ token: OTHER })).status).toBe(200);
    apns.resetScripts();
    expect((await client.push()).status).toBe(200);
  });

  it('holds answers until they are released, and no longer', async () => {
    const apns = await start();
    const client = new Client(apns);
    await client.push();
    const held = hold();
    apns.scriptAll(held);
    const waiting = [client.push(), client.push()];
    await apns.waitForRequests(3);
    expect(held.waiting).toBe(2);
    expect(apns.requests[1]?.answer).toBe('pending');
    held.release({ status: 503 });
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([503, 503]);
    expect((await client.push()).status).toBe(503);
    expect(held.waiting).toBe(0);
  });
});

describe('fakeApns records', () => {
  it('says who sent what, when, and what the answer was', async () => {
    const apns = await start({ now: () => 1234 });
    const client = new Client(apns);
    apns.scriptOnce({ status: 400, reason: 'BadTopic' });
    await client.push({ headers: { 'apns-id': ID }, body: '{"aps":{"badge":1},"key":"é"}' });
    expect(apns.requests).toEqual([
      {
        index: 0,
        atMs: 1234,
        sessionId: 1,
        streamId: 1,
        token: TOKEN,
        apnsId: ID,
        headers: {
          ':authority': new URL(apns.url).host,
          ':method': 'POST',
          ':path': `/3/device/${TOKEN}`,
          ':scheme': 'https',
          'apns-id': ID,
          'apns-topic': TOPIC,
        },
        jwt: undefined,
        payload: { aps: { badge: 1 }, key: 'é' },
        payloadBytes: 30,
        answer: { status: 400, reason: 'BadTopic' },
      },
    ]);
  });

  it('numbers connections and streams, and counts by token', async () => {
    const apns = await start();
    const [first, second] = [new Client(apns), new Client(apns)];
    await first.push();
    await second.push({ token: OTHER });
    await first.push();
    expect(apns.requests.map(({ sessionId, streamId }) => [sessionId, streamId])).toEqual([
      [1, 1],
      [2, 1],
      [1, 3],
    ]);
    expect([apns.count(TOKEN), apns.count(OTHER), apns.count('ef')]).toEqual([2, 1, 0]);
    expect(apns.openSessionsTotal).toBe(2);
  });

  it('records a request whose client gave up', async () => {
    const apns = await start();
    const client = new Client(apns);
    apns.scriptAll(hold());
    const stream = client.open();
    const record = await apns.nextRequest();
    expect(record.answer).toBe('pending');
    stream.close();
    await client.ping();
    expect(record.answer).toEqual({ fault: 'client-gone' });
  });

  it('gives requests one after another to whoever waits', async () => {
    const apns = await start();
    const client = new Client(apns);
    const both = [apns.nextRequest(), apns.nextRequest()];
    await client.push();
    await client.push({ token: OTHER });
    expect((await Promise.all(both)).map(({ token }) => token)).toEqual([TOKEN, OTHER]);
    await expect(apns.nextRequest(1)).rejects.toThrow('2 of 3 requests had arrived');
    await expect(apns.waitForRequests(3, 1)).rejects.toThrow('2 of 3 requests had arrived');
  });

  it('keeps the latest up to its limit, and nothing with a limit of 0', async () => {
    const apns = await start({ recordLimit: 3 });
    const client = new Client(apns);
    for (let i = 0; i < 7; i += 1) {
      await client.push();
      expect(apns.requests.length).toBe(Math.min(i + 1, 3));
      expect(apns.requests.at(-1)?.index).toBe(i);
    }
    expect(apns.requestsTotal).toBe(7);
    expect((await apns.nextRequest()).index).toBe(4);
    const quiet = await start({ recordLimit: 0 });
    await new Client(quiet).push();
    expect([quiet.requests, quiet.requestsTotal]).toEqual([[], 0]);
    await expect(quiet.nextRequest()).rejects.toThrow('records no requests');
  });
});
