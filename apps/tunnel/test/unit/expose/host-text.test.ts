import type { HostSnapshot } from '@openchambery/host';
import { describe, expect, it } from 'vitest';
import { describeHost, hostFields, hostStage } from '../../../src/expose/host-text.ts';

const base: HostSnapshot = {
  status: { state: 'connected' },
  connections: 2,
  turnedAwayConnections: 0,
  openStreams: 3,
  receivedBytes: 1500,
  sentBytes: 2_000_000,
  lastError: undefined,
};

describe('how a Host is', () => {
  it('has counters where they are redrawn, and none in lines of their own', () => {
    expect(describeHost(base, 'full')).toBe('connected · 2 devices · 3 open · 1.5 kB in · 2.0 MB out');
    expect(describeHost({ ...base, connections: 1 }, 'brief')).toBe('connected · 1 device');
  });

  it('has the last error on one line, unless the state says what is wrong', () => {
    expect(describeHost({ ...base, lastError: 'a\nb' }, 'brief')).toBe(
      'connected · 2 devices · last error: a b',
    );
    const status = { state: 'reconnecting', reason: 'no route', retryInMs: 1500 } as const;
    expect(describeHost({ ...base, status, lastError: 'x' }, 'brief')).toBe(
      'reconnecting: no route · 2 devices',
    );
    expect(describeHost({ ...base, status, openStreams: 0 }, 'full')).toBe(
      'reconnecting in 2 s: no route · 2 devices · 1.5 kB in · 2.0 MB out',
    );
  });

  it('has the relay’s own reason when it refuses', () => {
    const status = { state: 'refused', code: 4010, reason: 'clock is 90 s off', retryInMs: 60_000 } as const;
    expect(describeHost({ ...base, status }, 'brief')).toBe(
      'refused by the relay, tried again: 4010 clock is 90 s off · 2 devices',
    );
  });

  it('is for programs without counters of bytes, and in whole ms', () => {
    const status = { state: 'reconnecting', reason: 'x', retryInMs: 117.9 } as const;
    expect(hostFields({ ...base, status })).toEqual({
      state: 'reconnecting',
      reason: 'x',
      retryInMs: 118,
      devices: 2,
      lastError: undefined,
    });
  });
});

it.each([
  [{ state: 'idle' }, 'other'],
  [{ state: 'connecting' }, 'trying'],
  [{ state: 'connected' }, 'other'],
  [{ state: 'reconnecting', reason: 'x', retryInMs: 1 }, 'failed'],
  [{ state: 'refused', code: 4010, reason: 'x', retryInMs: 1 }, 'failed'],
] as const)('a Host that is %j', (status, stage) => {
  expect(hostStage(status)).toBe(stage);
});
