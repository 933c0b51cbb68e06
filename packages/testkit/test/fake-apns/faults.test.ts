import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { delay, hold } from '../../src/index.ts';
import type { FakeApns } from '../../src/index.ts';
import { Client, outcomeOf, start } from './client.ts';

/** Long enough for an answer on loopback to be seen, if there were one. */
const LONG_ENOUGH_MS = 200;

/** A client whose connection has carried an accepted push: its next stream is 3. */
async function proven(apns: FakeApns): Promise<Client> {
  const client = new Client(apns);
  await client.push();
  return client;
}

describe('fakeApns resets streams', () => {
  it.each([
    [7, 'ERR_HTTP2_STREAM_ERROR'],
    [2, 'ERR_HTTP2_STREAM_ERROR'],
    [11, 'ERR_HTTP2_STREAM_ERROR'],
    // Node takes CANCEL and NO_ERROR for no error at all: there is only no status.
    [8, undefined],
    [0, undefined],
  ])('RST_STREAM with code %i: the stream ends with it, the connection lives', async (code, error) => {
    const apns = await start();
    const client = await proven(apns);
    apns.scriptOnce({ fault: 'rst-stream', code });
    expect(await client.push()).toMatchObject({ status: undefined, error, rstCode: code });
    expect((await client.push()).status).toBe(200);
    expect(apns.requests[1]?.answer).toEqual({ fault: 'rst-stream' });
    expect(apns.openSessionsTotal).toBe(1);
  });

  it('silence: only this stream waits', async () => {
    const apns = await start();
    const client = await proven(apns);
    apns.scriptOnce({ fault: 'silence' });
    const stream = client.open();
    await apns.waitForRequests(2);
    expect((await client.push()).status).toBe(200);
    await client.ping();
    expect(stream.closed).toBe(false);
    expect(apns.pings).toBe(1);
  });
});

describe('fakeApns breaks connections', () => {
  it('TCP reset: every stream and the session see ECONNRESET, rstCode 2', async () => {
    const apns = await start();
    const client = await proven(apns);
    const held = hold();
    apns.scriptOnce(held);
    const other = client.push();
    await apns.waitForRequests(2);
    apns.scriptOnce({ fault: 'tcp-reset' });
    const reset = { status: undefined, error: 'ECONNRESET', rstCode: 2 };
    expect(await Promise.all([client.push(), other])).toMatchObject([reset, reset]);
    await client.closed;
    expect(client.errors).toEqual(['ECONNRESET']);
    expect(apns.requests.map(({ answer }) => answer)).toEqual([
      { status: 200 },
      { fault: 'client-gone' },
      { fault: 'tcp-reset' },
    ]);
  });

  it('TCP FIN in mid-flight: no error anywhere, rstCode 8 and no status', async () => {
    const apns = await start();
    const client = await proven(apns);
    apns.scriptOnce({ fault: 'tcp-fin' });
    expect(await client.push()).toMatchObject({ status: undefined, error: undefined, rstCode: 8 });
    await client.closed;
    expect(client.errors).toEqual([]);
  });

  it('black hole: no answer, no PONG, no end, and other connections go on', async () => {
    const apns = await start();
    const client = await proven(apns);
    apns.scriptOnce({ fault: 'black-hole' });
    const streams = [client.open()];
    await apns.waitForRequests(2);
    let pong = false;
    client.session.ping(() => (pong = true));
    streams.push(client.open());
    await delay(LONG_ENOUGH_MS);
    expect(pong).toBe(false);
    expect(streams.map(({ closed }) => closed)).toEqual([false, false]);
    expect([apns.requestsTotal, apns.pings, apns.sessions[0]?.isBlackHole]).toEqual([2, 0, true]);
    expect((await new Client(apns).push()).status).toBe(200);
  });

  it('black hole: answers that were still to come never do', async () => {
    const apns = await start();
    const client = await proven(apns);
    apns.scriptOnce({ status: 200, delayMs: 50 });
    const delayed = client.open();
    apns.scriptOnce({ fault: 'black-hole' });
    client.open();
    await apns.waitForRequests(3);
    await delay(LONG_ENOUGH_MS);
    expect(delayed.closed).toBe(false);
  });

  it('our own destroy(): rstCode 0, no status, no error', async () => {
    const apns = await start();
    const client = await proven(apns);
    apns.scriptAll({ fault: 'silence' });
    const outcome = client.push();
    await apns.waitForRequests(2);
    client.session.destroy();
    expect(await outcome).toMatchObject({ status: undefined, error: undefined, rstCode: 0 });
  });
});

describe('fakeApns goes away', () => {
  it('code 0 at the stream: it completes, later ones have no id', async () => {
    const apns = await start();
    const client = await proven(apns);
    apns.scriptOnce({ fault: 'goaway', reason: 'IdleTimeout', answer: { status: 200, delayMs: 50 } });
    const outcome = client.push();
    await once(client.session, 'goaway');
    expect(await client.push()).toMatchObject({
      error: 'ERR_HTTP2_GOAWAY_SESSION',
      streamId: undefined,
      rstCode: 2,
    });
    expect(client.session.closed).toBe(true);
    expect(await outcome).toMatchObject({ status: 200, error: undefined, rstCode: 0, streamId: 3 });
    expect(client.goAways[0]).toEqual({ code: 0, lastStreamId: 3, data: '{"reason":"IdleTimeout"}' });
    expect(apns.requests[1]?.answer).toEqual({ status: 200 });
  });

  it('code 0 below the stream: it is refused, rstCode 7, and an older one completes', async () => {
    const apns = await start();
    const client = await proven(apns);
    apns.scriptOnce({ status: 200, delayMs: 50 });
    const older = client.push();
    apns.scriptOnce({ fault: 'goaway', lastStream: 'below' });
    expect(await client.push()).toMatchObject({
      status: undefined,
      error: 'ERR_HTTP2_STREAM_ERROR',
      rstCode: 7,
      streamId: 5,
    });
    expect(await older).toMatchObject({ status: 200, streamId: 3 });
    expect(client.goAways[0]).toEqual({ code: 0, lastStreamId: 3, data: '{"reason":"Shutdown"}' });
    expect(client.errors).toEqual([]);
  });

  it('code 0 below the first stream: it is refused all the same', async () => {
    const apns = await start();
    const client = new Client(apns);
    apns.scriptOnce({ fault: 'goaway', lastStream: 'below' });
    expect(await client.push()).toMatchObject({ status: undefined, rstCode: 7, streamId: 1 });
    expect(client.goAways[0]).toMatchObject({ code: 0, lastStreamId: 1 });
  });

  it('another code: every stream fails alike, only the event tells which may have been processed', async () => {
    const apns = await start();
    const client = await proven(apns);
    apns.scriptOnce(hold());
    const older = client.push();
    apns.scriptOnce({ fault: 'goaway', code: 2, lastStream: 'below', reason: 'InternalServerError' });
    const failed = { status: undefined, error: 'ERR_HTTP2_SESSION_ERROR', rstCode: 2 };
    expect(await Promise.all([older, client.push()])).toMatchObject([failed, failed]);
    expect(client.goAways).toEqual([{ code: 2, lastStreamId: 3, data: '{"reason":"InternalServerError"}' }]);
    await client.closed;
    expect(client.errors).toEqual(['ERR_HTTP2_SESSION_ERROR']);
  });

  it('hangs up once nothing is open, so that the client sees its connection close', async () => {
    const apns = await start();
    const client = await proven(apns);
    apns.goAway();
    await client.closed;
    expect(client.goAways[0]).toEqual({ code: 0, lastStreamId: 1, data: '{"reason":"Shutdown"}' });
    expect(client.errors).toEqual([]);
  });

  it('goes away on one connection and spares the others', async () => {
    const apns = await start();
    const [first, second] = [await proven(apns), await proven(apns)];
    apns.goAway({ session: 2, code: 0, lastStreamId: 1, reason: 'IdleTimeout' });
    await once(second.session, 'goaway');
    expect((await first.push()).status).toBe(200);
    expect(first.goAways).toEqual([]);
  });

  it('waits for what is open', async () => {
    const apns = await start();
    const client = await proven(apns);
    const held = hold();
    apns.scriptOnce(held);
    const stream = client.open();
    const outcome = outcomeOf(stream);
    await apns.waitForRequests(2);
    apns.goAway();
    await once(client.session, 'goaway');
    await delay(LONG_ENOUGH_MS);
    expect(stream.closed).toBe(false);
    held.release();
    expect((await outcome).status).toBe(200);
  });
});
