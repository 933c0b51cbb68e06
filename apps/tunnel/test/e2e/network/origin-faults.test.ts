import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { leapToPong } from './support/leaps.ts';
import { startNetwork } from './support/network.ts';
import { download, readAll, upload, whole } from './support/transfer.ts';

const BROKEN_OFF = { name: 'RelayClientError', code: 'ERR_RELAY_CLIENT_ABORTED_BY_HOST' };

/** How long an origin may take to begin its answer, in ms. */
const ANSWER_MS = 300_000;

async function refusal(response: Response): Promise<unknown> {
  return [response.status, ((await response.json()) as { error: string }).error];
}

describe('an origin that is slow', () => {
  it('is waited for, and holds nobody else up', async () => {
    const { connectClient, links, origin } = await startNetwork();
    const { client } = await connectClient();
    const slow = client.fetch('/slow');
    const held = await origin.nextHeld();
    links.origin.connections[0]?.limitRate(20_000);
    expect(await download(client, 2_000_000)).toEqual(whole(2_000_000));
    held.begin();
    await held.write('a');
    const body = (await slow).body?.getReader();
    expect(Buffer.from((await body?.read())?.value ?? []).toString()).toBe('a');
    expect(await upload(client, 500_000)).toEqual(whole(500_000));
    held.end('b');
    expect(Buffer.from((await body?.read())?.value ?? []).toString()).toBe('b');
    expect((await body?.read())?.done).toBe(true);
  });

  it('is given up when it says nothing for 5 minutes', async () => {
    const { connectClient, control, hostClock, origin } = await startNetwork();
    const { client } = await connectClient();
    const slow = client.fetch('/slow');
    const held = await origin.nextHeld();
    for (let passed = 0; passed < ANSWER_MS; passed += 30_000) {
      expect(await download(client, 100)).toEqual(whole(100));
      await leapToPong(hostClock, control);
    }
    expect(await refusal(await slow)).toEqual([504, 'origin_timeout']);
    await held.abandoned();
  });
});

describe('an origin that breaks off', () => {
  it.each(['reset', 'cut'] as const)('(%s) before its answer is a 502 that says so', async (act) => {
    const { connectClient, links, origin } = await startNetwork();
    const { client } = await connectClient();
    const asked = client.fetch('/slow', { method: 'POST', body: 'x' });
    await origin.nextHeld();
    links.origin[act]();
    expect(await refusal(await asked)).toEqual([502, 'bad_gateway']);
    expect(await download(client, 1000)).toEqual(whole(1000));
  });

  it.each(['reset', 'truncate'])('(%s) in the middle of its answer is no end of it', async (route) => {
    const { connectClient, host } = await startNetwork();
    const { client } = await connectClient();
    const failures: string[] = [];
    host.on('requestFailed', ({ error }) => failures.push(error));
    const other = download(client, 3_000_000);
    const response = await client.fetch(`/${route}/300000`);
    expect(response.status).toBe(200);
    await expect(readAll(response.body)).rejects.toMatchObject(BROKEN_OFF);
    expect(failures).toEqual(['origin_broke_off']);
    expect(await other).toEqual(whole(3_000_000));
  });

  it.each(['reset', 'cut'] as const)('(%s) under a WebSocket closes it, and no other', async (act) => {
    const { connectClient, links } = await startNetwork();
    const { client } = await connectClient();
    const [first, second] = [new client.WebSocket('/ws/echo'), new client.WebSocket('/ws/echo')];
    await Promise.all([once(first, 'open'), once(second, 'open')]);
    links.origin.connections[0]?.[act]();
    const closed = [first, second].map(async (socket) => {
      const [{ code }] = (await once(socket, 'close')) as [CloseEvent];
      return { socket, code };
    });
    const gone = await Promise.race(closed);
    expect(gone.code).toBe(1011);
    const left = gone.socket === first ? second : first;
    left.send('still here');
    const [{ data }] = (await once(left, 'message')) as [MessageEvent];
    expect(data).toBe('still here');
  });
});

describe('an origin that is not there', () => {
  it('is a 502 that says so, until it is', async () => {
    const { connectClient, links } = await startNetwork();
    const { client } = await connectClient();
    await links.origin.meetNew('refuse');
    expect(await refusal(await client.fetch('/echo'))).toEqual([502, 'origin_unreachable']);
    const socket = new client.WebSocket('/ws/echo');
    expect(((await once(socket, 'close')) as [CloseEvent])[0].code).toBe(1006);
    await links.origin.meetNew('open');
    expect(await download(client, 1000)).toEqual(whole(1000));
  });
});
