import { formatControlMessage, type ControlMessage } from '@openchambery/protocol';
import { describe, expect, it } from 'vitest';
import type { RelaySocket } from '../../src/connection/relay-socket.ts';
import { resolveLimits } from '../../src/limits.ts';
import { ControlChannel } from '../../src/routing/control-channel.ts';

/** A socket that takes texts at once, or lets them wait until `drain`. */
class SlowSocket {
  readonly sent: string[] = [];
  isSlow = false;
  waitingBytes = 0;
  readonly wire: this = this;

  sendText(text: string): void {
    this.sent.push(text);
    if (this.isSlow) this.waitingBytes += text.length;
  }

  /** The peer takes everything; the channel is told, as the socket would. */
  drain(channel: ControlChannel): void {
    this.waitingBytes = 0;
    channel.onDrained();
  }
}

function setUp(limits: { maxControlQueueEntries?: number; maxControlQueuedBytes?: number } = {}): {
  socket: SlowSocket;
  channel: ControlChannel;
  send: (name: string) => 'sent' | 'full';
} {
  const socket = new SlowSocket();
  const channel = new ControlChannel(socket as unknown as RelaySocket, resolveLimits(limits));
  return { socket, channel, send: (name) => channel.send(message(name)) };
}

function message(name: string): ControlMessage {
  return { type: 'connected', connectionId: name };
}

function texts(...names: string[]): string[] {
  return names.map((name) => formatControlMessage(message(name)));
}

describe('ControlChannel', () => {
  it('sends at once to a Host that reads, however many messages there are', () => {
    const { socket, send } = setUp({ maxControlQueueEntries: 1, maxControlQueuedBytes: 1 });
    for (let i = 0; i < 100; i++) expect(send('x')).toBe('sent');
    expect(socket.sent).toHaveLength(100);
  });

  it('lets as many messages wait as the limit allows, and not one more', () => {
    const { socket, send } = setUp({ maxControlQueueEntries: 3 });
    socket.isSlow = true;
    expect(['a', 'b', 'c'].map(send)).toEqual(['sent', 'sent', 'sent']);
    expect(send('d')).toBe('full');
  });

  it('lets as many bytes wait as the limit allows, and not one more', () => {
    const bytes = formatControlMessage(message('a')).length;
    const { socket, send } = setUp({ maxControlQueuedBytes: 2 * bytes });
    socket.isSlow = true;
    expect(['a', 'b'].map(send)).toEqual(['sent', 'sent']);
    expect(send('c')).toBe('full');

    const tighter = setUp({ maxControlQueuedBytes: 2 * bytes - 1 });
    tighter.socket.isSlow = true;
    expect(['a', 'b'].map(tighter.send)).toEqual(['sent', 'full']);
  });

  it('keeps what comes while the Host is slow, and sends it in order and once', () => {
    const { socket, channel, send } = setUp();
    socket.isSlow = true;
    for (const name of ['a', 'b', 'c']) send(name);
    expect(socket.sent).toEqual(texts('a'));
    socket.drain(channel);
    expect(socket.sent).toEqual(texts('a', 'b', 'c'));
    send('d');
    socket.drain(channel);
    socket.isSlow = false;
    socket.drain(channel);
    send('e');
    expect(socket.sent).toEqual(texts('a', 'b', 'c', 'd', 'e'));
  });

  it('counts what the Host has not taken yet, also after it took a part', () => {
    const { socket, channel, send } = setUp({ maxControlQueueEntries: 2 });
    socket.isSlow = true;
    for (const name of ['a', 'b']) send(name);
    expect(send('c')).toBe('full');
    // It took a, and b waits now.
    socket.drain(channel);
    expect(send('c')).toBe('sent');
    expect(send('d')).toBe('full');
  });

  it('has all its room again once the Host has taken everything', () => {
    const { socket, channel, send } = setUp({ maxControlQueueEntries: 2 });
    for (let round = 0; round < 5; round++) {
      socket.isSlow = true;
      expect(['a', 'b', 'c'].map(send)).toEqual(['sent', 'sent', 'full']);
      socket.isSlow = false;
      socket.drain(channel);
    }
    expect(socket.sent).toHaveLength(10);
  });

  it('does not count other bytes that wait for the Host, such as a ping', () => {
    const { socket, channel, send } = setUp({ maxControlQueueEntries: 2 });
    socket.waitingBytes = 1_000_000;
    expect(['a', 'b', 'c'].map(send)).toEqual(['sent', 'sent', 'full']);
    socket.drain(channel);
    expect(socket.sent).toEqual(texts('a', 'b'));
  });
});
