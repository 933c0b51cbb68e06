import { FakeClock } from '@openchambery/testkit';
import type { ChannelEnd, TunnelTransport } from '@openchambery/tunnel';
import { describe, expect, it } from 'vitest';
import { type Attempt, type AttemptEnd, attemptStarter } from '../../src/connection/attempt.ts';
import type { TunnelListener } from '../../src/connection/open-tunnel.ts';
import type { Dial, DialListener } from '../../src/transport/dial.ts';
import { settle } from '../support/scripted-client.ts';
import { ScriptedTunnel } from '../support/scripted-tunnel.ts';

interface Script {
  readonly attempt: Attempt;
  readonly clock: FakeClock;
  readonly tunnel: ScriptedTunnel;
  readonly told: (string | AttemptEnd)[];
  readonly dialled: { listener: DialListener | undefined; isCancelled: boolean; isTerminated: boolean };
  readonly channel: () => TunnelListener;
  readonly connect: () => void;
}

function start(dial?: Dial): Script {
  const clock = new FakeClock();
  const tunnel = new ScriptedTunnel();
  const told: (string | AttemptEnd)[] = [];
  const dialled: Script['dialled'] = { listener: undefined, isCancelled: false, isTerminated: false };
  let channel: TunnelListener | undefined;
  const attempt = attemptStarter({
    url: 'wss://relay.test/ws?serverId=secretive',
    clock,
    dial:
      dial ??
      ((_url, listener) => {
        dialled.listener = listener;
        return { cancel: () => void (dialled.isCancelled = true) };
      }),
    openTunnel: (_transport, listener) => {
      channel = listener;
      return { tunnel, proof: () => 'missing' };
    },
  })({ onOpen: () => told.push('open'), onEnd: (end) => told.push(end) });
  const transport = { terminate: () => void (dialled.isTerminated = true) } as TunnelTransport;
  return {
    attempt,
    clock,
    tunnel,
    told,
    dialled,
    channel: () => {
      if (channel === undefined) throw new Error('no tunnel was opened');
      return channel;
    },
    connect: () => dialled.listener?.onOpen(transport),
  };
}

/** What is told of an end, before or after the channel was established. */
function endOf(end: ChannelEnd, isEstablished: boolean): AttemptEnd {
  const { channel, connect, told } = start();
  connect();
  if (isEstablished) channel().onOpen();
  channel().onClose(end);
  return told.at(-1) as AttemptEnd;
}

describe('dialling', () => {
  it('is given up after 15 s and not before', () => {
    const { clock, told, dialled } = start();
    clock.advance(14_999);
    expect(told).toEqual([]);
    clock.advance(1);
    expect(dialled.isCancelled).toBe(true);
    expect(told).toMatchObject([{ error: { code: 'ERR_RELAY_CLIENT_UNREACHABLE' }, proof: 'none' }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('tells why it failed, with the address alone', () => {
    const { told, dialled, clock } = start();
    dialled.listener?.onFail({ message: 'no route', cause: new Error('EHOSTUNREACH') });
    const [end] = told as AttemptEnd[];
    expect(end?.error).toMatchObject({
      code: 'ERR_RELAY_CLIENT_UNREACHABLE',
      cause: { message: 'EHOSTUNREACH' },
    });
    expect(end?.error.message).toBe('the relay at relay.test cannot be reached: no route');
    expect(clock.pendingTimers).toBe(0);
  });

  it('may throw, as browsers do to pages that may not dial; told in a turn of its own', async () => {
    const { told } = start(() => {
      throw new DOMException('mixed content', 'SecurityError');
    });
    expect(told).toEqual([]);
    await settle();
    expect(told).toMatchObject([{ error: { code: 'ERR_RELAY_CLIENT_UNREACHABLE' } }]);
  });
});

describe('the end of a connection', () => {
  it.each([4002, 4010, 4029])('with %d from the relay is a refusal, whenever it comes', (code) => {
    for (const isEstablished of [false, true]) {
      const { error } = endOf({ cause: 'peer', code, reason: 'limit: so many' }, isEstablished);
      expect(error).toMatchObject({
        code: 'ERR_RELAY_CLIENT_REFUSED',
        closeCode: code,
        reason: 'limit: so many',
        isTerminal: true,
      });
      expect(error.message).toContain('limit: so many');
    }
  });

  it('with such a code of our own is none', () => {
    const { error } = endOf({ cause: 'local', code: 4029, reason: '' }, false);
    expect(error.isTerminal).toBe(false);
  });

  it('with 4008 says that the Host is not there', () => {
    for (const isEstablished of [false, true]) {
      const { error } = endOf({ cause: 'peer', code: 4008, reason: 'unavailable' }, isEstablished);
      expect(error).toMatchObject({ code: 'ERR_RELAY_CLIENT_HOST_UNAVAILABLE', isTerminal: false });
    }
  });

  it.each([1000, 1001, 1002, 1006, 1007, 1008, 1009, 1011, 1012, 1013, 4001, 4003])(
    'with %d is retried, and says how far it had come',
    (code) => {
      const before = endOf({ cause: 'peer', code, reason: '' }, false).error;
      expect(before).toMatchObject({
        code: 'ERR_RELAY_CLIENT_UNREACHABLE',
        closeCode: code,
        isTerminal: false,
      });
      const after = endOf({ cause: 'peer', code, reason: '' }, true);
      expect(after.error).toMatchObject({ code: 'ERR_RELAY_CLIENT_CONNECTION_LOST', closeCode: code });
      expect(after.proof).toBe('missing');
    },
  );

  it.each([
    ['handshake-timeout', false, 'ERR_RELAY_CLIENT_HANDSHAKE'],
    ['fault', false, 'ERR_RELAY_CLIENT_HANDSHAKE'],
    ['fault', true, 'ERR_RELAY_CLIENT_CONNECTION_LOST'],
    ['silent', true, 'ERR_RELAY_CLIENT_CONNECTION_LOST'],
  ] as const)('by %s (established: %s) is %s', (cause, isEstablished, code) => {
    const { error } = endOf({ cause, code: 1011, reason: 'why' }, isEstablished);
    expect(error).toMatchObject({ code, reason: 'why' });
  });
});

describe('giving an attempt up', () => {
  it('while dialling leaves nothing, and what comes later is not told', () => {
    for (const way of ['close', 'terminate'] as const) {
      const { attempt, clock, dialled, told, connect } = start();
      attempt[way]();
      expect(dialled.isCancelled).toBe(true);
      expect(clock.pendingTimers).toBe(0);
      connect();
      dialled.listener?.onFail({ message: 'late' });
      expect(told).toEqual([]);
    }
  });

  it('once there is a tunnel closes it, or destroys the socket too', () => {
    for (const way of ['close', 'terminate'] as const) {
      const { attempt, channel, connect, dialled, tunnel, told } = start();
      connect();
      channel().onOpen();
      attempt[way]();
      expect(tunnel.closedWith?.code).toBe(1000);
      expect(dialled.isTerminated).toBe(way === 'terminate');
      channel().onClose({ cause: 'local', code: 1000, reason: '' });
      expect(told).toEqual(['open']);
    }
  });

  it('during the handshake keeps quiet about a tunnel that opens all the same', () => {
    const { attempt, channel, connect, told } = start();
    connect();
    attempt.close();
    channel().onOpen();
    expect(told).toEqual([]);
  });
});
