import { RelayClientError } from '@openchambery/client';
import type { ClientStatus } from '@openchambery/client';
import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { clientFields, clientStage, describeClient } from '../../../src/connect/client-text.ts';
import { keepTrying } from '../../../src/connect/keep-trying.ts';

const traffic = { sentBytes: 10, receivedBytes: 2000, openStreams: 0 };
const error = new RelayClientError('ERR_RELAY_CLIENT_HOST_UNAVAILABLE', 'the Host is away.', {
  closeCode: 4008,
});
const away = 'The Host is away; is openchamber-tunnel expose running there?';

describe('how a Client is', () => {
  it('has counters where they are redrawn, and none in lines of their own', () => {
    const client = { status: { state: 'connected' }, traffic } as const;
    expect(describeClient(client, { openCount: 1, refusal: undefined, detail: 'full' })).toBe(
      'connected · 1 open · 2.0 kB down · 10 B up',
    );
    expect(describeClient(client, { openCount: 1, refusal: undefined, detail: 'brief' })).toBe('connected');
  });

  it('says that the pairing does not count, though the channel stands', () => {
    const client = { status: { state: 'connected' }, traffic } as const;
    const revoked = 'connected · the pairing was revoked: ask for a new link';
    const refusal = 'pairing_revoked';
    expect(describeClient(client, { openCount: 0, refusal, detail: 'brief' })).toBe(revoked);
    expect(describeClient(client, { openCount: 0, refusal, detail: 'full' })).toBe(
      `${revoked} · 2.0 kB down · 10 B up`,
    );
    expect(clientFields(client.status, refusal)).toEqual({ state: 'connected', refusal });
  });

  it('says why it is not connected, and what to look at', () => {
    const status: ClientStatus = { state: 'reconnecting', error, retryInMs: 900 };
    expect(describeClient({ status, traffic }, { openCount: 0, refusal: undefined, detail: 'brief' })).toBe(
      `reconnecting: ${away}`,
    );
    expect(describeClient({ status, traffic }, { openCount: 0, refusal: undefined, detail: 'full' })).toMatch(
      `reconnecting in 1 s: ${away} ·`,
    );
    const failed: ClientStatus = { state: 'failed', error };
    expect(
      describeClient({ status: failed, traffic }, { openCount: 0, refusal: undefined, detail: 'brief' }),
    ).toBe(`not connected: ${away}`);
    expect(clientFields(status, undefined)).toEqual({
      state: 'reconnecting',
      code: error.code,
      reason: away,
      retryInMs: 900,
    });
    expect(
      [status, failed, { state: 'connecting' } as const, { state: 'connected' } as const].map(clientStage),
    ).toEqual(['failed', 'failed', 'trying', 'other']);
    expect(clientFields(failed, undefined)).toEqual({ state: 'failed', code: error.code, reason: away });
  });
});

describe('a refusal for good', () => {
  it('is tried again after a minute, for what is full today may have room then', () => {
    const clock = new FakeClock();
    let attempts = 0;
    let tell: (status: ClientStatus) => void = () => undefined;
    const client = {
      connect: () => {
        attempts += 1;
        return Promise.reject(error);
      },
      onStatus: (listener: (status: ClientStatus) => void) => {
        tell = listener;
        return () => (tell = () => undefined);
      },
    };
    const stop = keepTrying(client, clock);
    expect(attempts).toBe(1);
    tell({ state: 'failed', error });
    clock.advance(59_999);
    expect(attempts).toBe(1);
    clock.advance(1);
    expect(attempts).toBe(2);
    tell({ state: 'failed', error });
    tell({ state: 'connected' });
    expect(clock.pendingTimers).toBe(0);
    tell({ state: 'failed', error });
    stop();
    expect(clock.pendingTimers).toBe(0);
  });
});
