import { PAIRING_SECRET_HEADER, type TunnelSocketListener, type WsOpenHead } from '@openchambery/tunnel';
import { describe, expect, it } from 'vitest';
import { scriptClient, secret, settle } from '../support/scripted-client.ts';

const HEAD: WsOpenHead = { path: '/s', query: '', protocols: ['one'], headers: { 'X-A': 'b' } };

const listener: TunnelSocketListener = {
  onMessage: () => undefined,
  onDrain: () => undefined,
  onClose: () => undefined,
};

describe('openSocket', () => {
  it('asks with headers and secret, and gives what was opened', async () => {
    const { client, open } = scriptClient({ secret });
    const tunnel = open();
    const opening = client.openSocket(HEAD, listener);
    await settle();
    const [peer] = tunnel.sockets;
    expect(peer?.head).toEqual({ ...HEAD, headers: { 'x-a': 'b', [PAIRING_SECRET_HEADER]: secret } });
    peer?.accept('one');
    expect(await opening).toEqual({ socket: peer, protocol: 'one' });
  });

  it('rejects when the Host refuses, when the connection breaks, when it is closed', async () => {
    const { client, open } = scriptClient();
    const tunnel = open();
    const refused = client.openSocket(HEAD, listener);
    await settle();
    tunnel.sockets[0]?.refuse('not here');
    await expect(refused).rejects.toMatchObject({
      code: 'ERR_RELAY_CLIENT_ABORTED_BY_HOST',
      reason: 'not here',
    });
    const lost = client.openSocket(HEAD, listener);
    await settle();
    tunnel.sockets[1]?.lose();
    await expect(lost).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_CONNECTION_LOST' });
    client.close();
    await expect(client.openSocket(HEAD, listener)).rejects.toMatchObject({
      code: 'ERR_RELAY_CLIENT_CLOSED',
    });
  });

  it('is given up with its signal: before, while it waits, while it is asked for, as it opens', async () => {
    const reason = new Error('enough');
    const { client, open } = scriptClient();
    await expect(client.openSocket(HEAD, listener, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controllers = [0, 1, 2].map(() => new AbortController());
    const [waiting, asked, opened] = controllers;
    const first = client.openSocket(HEAD, listener, waiting?.signal);
    waiting?.abort(reason);
    await expect(first).rejects.toBe(reason);
    const tunnel = open();
    const second = client.openSocket(HEAD, listener, asked?.signal);
    await settle();
    asked?.abort(reason);
    await expect(second).rejects.toBe(reason);
    const third = client.openSocket(HEAD, listener, opened?.signal);
    await settle();
    tunnel.sockets[1]?.accept();
    opened?.abort(reason);
    await expect(third).rejects.toBe(reason);
    expect(tunnel.sockets.every(({ aborts }) => aborts.length > 0)).toBe(true);
  });

  it('tells its listener nothing once the opening has failed, though it opened at the Host', async () => {
    const heard: unknown[] = [];
    const curious: TunnelSocketListener = {
      onMessage: (message) => heard.push(message),
      onDrain: () => heard.push('drain'),
      onClose: (close) => heard.push(close),
    };
    const { client, open } = scriptClient();
    const tunnel = open();
    const controller = new AbortController();
    const unasked = client.openSocket(HEAD, curious);
    const given = client.openSocket(HEAD, curious, controller.signal);
    await settle();
    for (const peer of tunnel.sockets) {
      peer.accept('two');
      controller.abort();
      queueMicrotask(() => {
        peer.listener.onMessage('early');
        peer.listener.onDrain();
        peer.listener.onClose({ code: 1006, reason: '' });
      });
    }
    await expect(unasked).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_ABORTED_BY_HOST' });
    await expect(given).rejects.toMatchObject({ name: 'AbortError' });
    expect(heard).toEqual([]);
  });
});
