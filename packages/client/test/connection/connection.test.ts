import { describe, expect, it } from 'vitest';
import type { ClientStatus } from '../../src/relay-client.ts';
import { RelayClientError, type RelayClientErrorCode } from '../../src/relay-client-error.ts';
import { type ScriptedClient, scriptClient, settle } from '../support/scripted-client.ts';

function unreachable(code: RelayClientErrorCode = 'ERR_RELAY_CLIENT_UNREACHABLE'): RelayClientError {
  return new RelayClientError(code, `scripted ${code}`);
}

function states(statuses: readonly ClientStatus[]): string[] {
  return statuses.map(({ state }) => state);
}

async function failure(promise: Promise<unknown>): Promise<RelayClientError> {
  const error = await promise.then(
    () => new Error('nothing failed'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RelayClientError);
  return error as RelayClientError;
}

function record({ client }: ScriptedClient): ClientStatus[] {
  const statuses: ClientStatus[] = [];
  client.onStatus((status) => statuses.push(status));
  return statuses;
}

describe('connecting', () => {
  it('dials nothing before the first use', () => {
    const { client, attempts, clock } = scriptClient();
    expect(client.status).toEqual({ state: 'idle' });
    expect(attempts.all).toHaveLength(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('dials once for all that ask, and lets them all in', async () => {
    const scripted = scriptClient();
    const statuses = record(scripted);
    const both = Promise.all([scripted.client.connect(), scripted.client.connect()]);
    expect(scripted.attempts.all).toHaveLength(1);
    scripted.open();
    await both;
    await scripted.client.connect();
    expect(states(statuses)).toEqual(['connecting', 'connected']);
    expect(scripted.clock.pendingTimers).toBe(0);
  });

  it('tells a listener nothing once it is taken away', async () => {
    const scripted = scriptClient();
    const heard: ClientStatus[] = [];
    const stop = scripted.client.onStatus((status) => heard.push(status));
    stop();
    scripted.open();
    expect(heard).toEqual([]);
  });

  it('tells every listener the newest status last, when one of them changes it', () => {
    const scripted = scriptClient();
    scripted.client.onStatus(({ state }) => {
      if (state === 'connected') scripted.client.close();
    });
    const statuses = record(scripted);
    scripted.open();
    expect(states(statuses)).toEqual(['connecting', 'closed']);
  });
});

describe('reconnecting', () => {
  it('waits 1 s, doubling to 30 s, with full jitter', () => {
    const scripted = scriptClient({ random: () => 0.999 });
    scripted.client.connect().catch(() => undefined);
    const delays: number[] = [];
    for (let failures = 0; failures < 8; failures += 1) {
      scripted.attempts.last.end(unreachable());
      const { status } = scripted.client;
      if (status.state !== 'reconnecting') throw new Error(status.state);
      delays.push(status.retryInMs);
      scripted.clock.advance(status.retryInMs);
      expect(scripted.attempts.all).toHaveLength(failures + 2);
    }
    expect(delays).toEqual([999, 1998, 3996, 7992, 15_984, 29_970, 29_970, 29_970]);
  });

  it('does not wait at all when chance says so', () => {
    const scripted = scriptClient({ random: () => 0 });
    scripted.client.connect().catch(() => undefined);
    scripted.attempts.last.end(unreachable());
    scripted.clock.advance(0);
    expect(scripted.attempts.all).toHaveLength(2);
  });

  it('says that it reconnects, and why, also while an attempt is under way', () => {
    const scripted = scriptClient();
    scripted.client.connect().catch(() => undefined);
    const error = unreachable();
    scripted.attempts.last.end(error);
    expect(scripted.client.status).toEqual({ state: 'reconnecting', error, retryInMs: 500 });
    scripted.clock.advance(200);
    expect(scripted.client.status).toEqual({ state: 'reconnecting', error, retryInMs: 300 });
    scripted.clock.advance(300);
    expect(scripted.client.status).toEqual({ state: 'reconnecting', error, retryInMs: 0 });
  });

  it('begins with 1 s again after a connection over which the Host was heard', () => {
    const scripted = scriptClient();
    scripted.client.connect().catch(() => undefined);
    for (let failures = 0; failures < 3; failures += 1) {
      scripted.attempts.last.end(unreachable());
      scripted.clock.advance(30_000);
    }
    scripted.open();
    expect(scripted.client.status).toEqual({ state: 'connected' });
    scripted.attempts.last.lose();
    expect(scripted.client.status).toMatchObject({ state: 'reconnecting', retryInMs: 500 });
  });

  it('goes on doubling while channels break before the Host was heard, and names the key', () => {
    const scripted = scriptClient();
    const lost = unreachable('ERR_RELAY_CLIENT_CONNECTION_LOST');
    const codes: string[] = [];
    const delays: number[] = [];
    for (let breaks = 0; breaks < 3; breaks += 1) {
      scripted.open();
      scripted.attempts.last.end(lost, 'missing');
      const { status } = scripted.client;
      if (status.state !== 'reconnecting') throw new Error(status.state);
      codes.push(status.error.code);
      delays.push(status.retryInMs);
      scripted.clock.advance(status.retryInMs);
    }
    expect(delays).toEqual([500, 1000, 2000]);
    expect(codes[0]).toBe('ERR_RELAY_CLIENT_CONNECTION_LOST');
    expect(codes.slice(1)).toEqual(['ERR_RELAY_CLIENT_HANDSHAKE', 'ERR_RELAY_CLIENT_HANDSHAKE']);
    expect(scripted.client.status).toMatchObject({ error: { message: expect.stringContaining('3 times') } });
  });
});

describe('whoever waits for a connection', () => {
  it('is refused after the time given, and not before', async () => {
    const scripted = scriptClient({ connectTimeoutMs: 5000 });
    let error: unknown;
    scripted.client.connect().catch((reason: unknown) => {
      error = reason;
    });
    scripted.clock.advance(4999);
    await settle();
    expect(error).toBeUndefined();
    scripted.clock.advance(1);
    await settle();
    expect(error).toMatchObject({ code: 'ERR_RELAY_CLIENT_CONNECT_TIMEOUT' });
    expect(scripted.client.status.state).toBe('connecting');
  });

  it.each([
    'ERR_RELAY_CLIENT_UNREACHABLE',
    'ERR_RELAY_CLIENT_HOST_UNAVAILABLE',
    'ERR_RELAY_CLIENT_HANDSHAKE',
  ] as const)('hears of %s, when that was the last thing that went wrong', async (code) => {
    const scripted = scriptClient({ connectTimeoutMs: 5000 });
    const waiting = failure(scripted.client.connect());
    const cause = unreachable(code);
    scripted.attempts.last.end(cause);
    scripted.clock.advance(5000);
    expect(await waiting).toMatchObject({ code, cause });
  });

  it('does not hear that a request was lost which was never sent', async () => {
    const scripted = scriptClient({ connectTimeoutMs: 5000 });
    scripted.open();
    scripted.attempts.last.lose();
    const waiting = failure(scripted.client.fetch('/'));
    await settle();
    scripted.clock.advance(5000);
    expect(await waiting).toMatchObject({ code: 'ERR_RELAY_CLIENT_CONNECT_TIMEOUT' });
  });

  it('gives up when its signal is aborted, and leaves no timer', async () => {
    const scripted = scriptClient();
    const controller = new AbortController();
    const waiting = scripted.client.fetch('/', { signal: controller.signal });
    await settle();
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(scripted.clock.pendingTimers).toBe(0);
  });
});

describe('a refusal for good', () => {
  const refusal = new RelayClientError('ERR_RELAY_CLIENT_REFUSED', 'limit: too many', { closeCode: 4029 });

  it('fails whoever waits, and whoever comes later, at once', async () => {
    const scripted = scriptClient();
    const waiting = failure(scripted.client.connect());
    scripted.attempts.last.end(refusal);
    expect(await waiting).toBe(refusal);
    expect(scripted.client.status).toEqual({ state: 'failed', error: refusal });
    expect(await failure(scripted.client.fetch('/'))).toBe(refusal);
    scripted.clock.advance(3_600_000);
    scripted.client.networkChanged();
    expect(scripted.attempts.all).toHaveLength(1);
    expect(scripted.clock.pendingTimers).toBe(0);
  });

  it('is left by connect()', async () => {
    const scripted = scriptClient();
    scripted.client.connect().catch(() => undefined);
    scripted.attempts.last.end(refusal);
    const again = scripted.client.connect();
    expect(scripted.client.status).toEqual({ state: 'connecting' });
    scripted.attempts.last.open();
    await again;
    expect(scripted.attempts.all).toHaveLength(2);
  });
});

describe('networkChanged', () => {
  it('retries at once when waiting', () => {
    const scripted = scriptClient();
    scripted.client.connect().catch(() => undefined);
    scripted.attempts.last.end(unreachable());
    scripted.client.networkChanged();
    expect(scripted.attempts.all).toHaveLength(2);
    scripted.clock.advance(1000);
    expect(scripted.attempts.all).toHaveLength(2);
  });

  it('keeps a connection that gives a sign of life', async () => {
    const scripted = scriptClient();
    const tunnel = scripted.open();
    scripted.client.networkChanged();
    tunnel.probes[0]?.(true);
    await settle();
    expect(scripted.attempts.all).toHaveLength(1);
  });

  it('replaces a connection that gives none, without a wait', async () => {
    const scripted = scriptClient();
    const tunnel = scripted.open();
    scripted.client.networkChanged();
    tunnel.probes[0]?.(false);
    await settle();
    expect(scripted.attempts.all.map(({ ended }) => ended)).toEqual(['terminated', undefined]);
    expect(scripted.client.status).toMatchObject({ state: 'reconnecting', retryInMs: 0 });
  });

  it('forgets a probe of a connection that is gone', async () => {
    const scripted = scriptClient();
    const tunnel = scripted.open();
    scripted.client.networkChanged();
    scripted.attempts.last.lose();
    scripted.clock.advance(500);
    scripted.attempts.last.open();
    tunnel.probes[0]?.(false);
    await settle();
    expect(scripted.client.status).toEqual({ state: 'connected' });
  });

  it.each([
    [2999, 1],
    [3000, 2],
  ])('after %d ms of an attempt has made %d', (elapsedMs, attempts) => {
    const scripted = scriptClient();
    scripted.client.connect().catch(() => undefined);
    scripted.clock.advance(elapsedMs);
    scripted.client.networkChanged();
    expect(scripted.attempts.all).toHaveLength(attempts);
    if (attempts === 2) expect(scripted.attempts.all[0]?.ended).toBe('terminated');
  });
});

describe('close', () => {
  it('fails what waits and leaves no timer, in every state', async () => {
    for (const bring of [
      () => undefined,
      (scripted: ScriptedClient) => void scripted.client.connect().catch(() => undefined),
      (scripted: ScriptedClient) => void scripted.open(),
      (scripted: ScriptedClient) => {
        scripted.open();
        scripted.attempts.last.lose();
      },
    ]) {
      const scripted = scriptClient();
      bring(scripted);
      scripted.client.close();
      scripted.client.close();
      expect(scripted.client.status).toEqual({ state: 'closed' });
      expect(scripted.clock.pendingTimers).toBe(0);
      const error = await failure(scripted.client.connect());
      expect(error).toMatchObject({ code: 'ERR_RELAY_CLIENT_CLOSED', isTerminal: true });
    }
  });

  it('fails requests that are under way', async () => {
    const scripted = scriptClient();
    scripted.open();
    const waiting = failure(scripted.client.fetch('/'));
    await settle();
    scripted.client.close();
    expect(await waiting).toMatchObject({ code: 'ERR_RELAY_CLIENT_CLOSED' });
    expect(scripted.attempts.last.ended).toBe('closed');
  });
});

describe('traffic', () => {
  it('counts over all connections, and the streams of the one that is open', () => {
    const scripted = scriptClient();
    scripted.open().traffic = { sentBytes: 5, receivedBytes: 7, openStreams: 3 };
    scripted.attempts.last.lose();
    expect(scripted.client.traffic).toEqual({ sentBytes: 5, receivedBytes: 7, openStreams: 0 });
    scripted.clock.advance(500);
    scripted.open().traffic = { sentBytes: 10, receivedBytes: 20, openStreams: 1 };
    expect(scripted.client.traffic).toEqual({ sentBytes: 15, receivedBytes: 27, openStreams: 1 });
  });
});
