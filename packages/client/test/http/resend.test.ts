import { describe, expect, it } from 'vitest';
import { RelayClientError } from '../../src/relay-client-error.ts';
import { type ScriptedClient, scriptClient, settle } from '../support/scripted-client.ts';
import { soon } from '../support/soon.ts';

/** Breaks the connection, and has the next one open. */
async function reconnect(scripted: ScriptedClient): Promise<void> {
  scripted.attempts.last.lose();
  await settle();
  scripted.clock.advance(500);
  scripted.open();
  await settle();
}

const form = (): FormData => {
  const made = new FormData();
  made.set('a', 'b');
  return made;
};

describe('a request whose connection breaks before the answer', () => {
  it.each([
    ['GET', undefined],
    ['HEAD', undefined],
    ['OPTIONS', undefined],
    ['PUT', 'text'],
    ['PUT', new Uint8Array([1])],
    ['PUT', new Blob(['x'])],
    ['DELETE', undefined],
  ] as const)('is sent again: %s with %o', async (method, body) => {
    const scripted = scriptClient();
    scripted.open();
    const answer = scripted.client.fetch('/x', body === undefined ? { method } : { method, body });
    await settle();
    await reconnect(scripted);
    const first = scripted.attempts.all[0]?.tunnel.stream();
    const second = scripted.attempts.last.tunnel.stream();
    expect(second.head).toEqual(first?.head);
    await soon(() => second.isEnded).toBe(true);
    second.respond(200).end();
    expect((await answer).status).toBe(200);
  });

  it.each([
    ['POST', 'text'],
    ['patch', 'text'],
    ['PROPFIND', undefined],
    ['PUT', 'stream'],
    ['PUT', form()],
  ] as const)('fails when it may not be repeated: %s with %o', async (method, body) => {
    const scripted = scriptClient();
    scripted.open();
    const stream = body === 'stream' ? new Response('x').body : body;
    const answer = scripted.client.fetch('/x', stream === undefined ? { method } : { method, body: stream });
    answer.catch(() => undefined);
    await settle();
    await reconnect(scripted);
    await expect(answer).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_CONNECTION_LOST' });
    expect(scripted.attempts.last.tunnel.streams).toHaveLength(0);
  });

  it('is not sent again once its answer has begun', async () => {
    const scripted = scriptClient();
    const tunnel = scripted.open();
    const answer = scripted.client.fetch('/x');
    await settle();
    tunnel.stream().respond(200).push('a');
    const text = (await answer).text();
    text.catch(() => undefined);
    await reconnect(scripted);
    await expect(text).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_CONNECTION_LOST' });
    expect(scripted.attempts.last.tunnel.streams).toHaveLength(0);
  });

  it('is not sent again when it was aborted meanwhile', async () => {
    const scripted = scriptClient();
    scripted.open();
    const controller = new AbortController();
    const answer = scripted.client.fetch('/x', { signal: controller.signal });
    answer.catch(() => undefined);
    await settle();
    scripted.attempts.last.lose();
    await settle();
    controller.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    scripted.clock.advance(500);
    scripted.open();
    await settle();
    expect(scripted.attempts.last.tunnel.streams).toHaveLength(0);
  });

  it('fails when no connection comes back in time', async () => {
    const scripted = scriptClient({ connectTimeoutMs: 400 });
    scripted.open();
    const answer = scripted.client.fetch('/x');
    answer.catch(() => undefined);
    await settle();
    scripted.attempts.last.lose();
    await settle();
    scripted.clock.advance(400);
    await expect(answer).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_CONNECT_TIMEOUT' });
  });

  it('is sent 5 times at most', async () => {
    const scripted = scriptClient();
    scripted.open();
    const answer = scripted.client.fetch('/x');
    answer.catch(() => undefined);
    await settle();
    for (let breaks = 0; breaks < 5; breaks += 1) await reconnect(scripted);
    await expect(answer).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_CONNECTION_LOST' });
    const sent = scripted.attempts.all.map(({ tunnel }) => tunnel.streams.length);
    expect(sent).toEqual([1, 1, 1, 1, 1, 0]);
  });

  it('fails at once when the key seems not to be the Host’s', async () => {
    const scripted = scriptClient();
    const lost = new RelayClientError('ERR_RELAY_CLIENT_CONNECTION_LOST', 'it broke');
    scripted.open();
    const answer = scripted.client.fetch('/x');
    answer.catch(() => undefined);
    await settle();
    scripted.attempts.last.end(lost, 'missing');
    await settle();
    scripted.clock.advance(500);
    scripted.open();
    await settle();
    scripted.attempts.last.end(lost, 'missing');
    await expect(answer).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_HANDSHAKE' });
  });

  it('fails with the refusal when the relay refuses meanwhile', async () => {
    const scripted = scriptClient();
    scripted.open();
    const answer = scripted.client.fetch('/x');
    answer.catch(() => undefined);
    await settle();
    scripted.attempts.last.lose();
    await settle();
    scripted.clock.advance(500);
    scripted.attempts.last.end(new RelayClientError('ERR_RELAY_CLIENT_REFUSED', 'no', { closeCode: 4029 }));
    await expect(answer).rejects.toMatchObject({ code: 'ERR_RELAY_CLIENT_REFUSED', closeCode: 4029 });
  });
});
