import { EventEmitter } from 'node:events';
import type { TunnelSocket } from '@openchambery/tunnel';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { SocketJoint } from '../../../src/connect/join-sockets.ts';

/** The local end, as far as a joint uses it. */
class LocalEnd extends EventEmitter {
  readonly calls: unknown[] = [];
  bufferedAmount = 0;
  readonly #sent: (() => void)[] = [];

  send(message: string | Uint8Array, options: { readonly binary: boolean }, done: () => void): void {
    this.calls.push(['send', message, options.binary]);
    this.bufferedAmount += message.length;
    this.#sent.push(done);
  }

  /** The kernel has taken everything. */
  flush(): void {
    this.bufferedAmount = 0;
    for (const done of this.#sent.splice(0)) done();
  }

  pause(): void {
    this.calls.push('pause');
  }

  resume(): void {
    this.calls.push('resume');
  }

  close(code?: number, reason?: string): void {
    this.calls.push(['close', code, reason]);
  }

  terminate(): void {
    this.calls.push('terminate');
  }
}

function join({ takesMore = true, early = (_joint: SocketJoint): void => undefined } = {}) {
  const far: unknown[] = [];
  const tunnel: TunnelSocket = {
    id: 1,
    bufferedBytes: 0,
    send: (message) => {
      far.push(['send', message]);
      return takesMore;
    },
    pause: () => void far.push('pause'),
    resume: () => void far.push('resume'),
    close: (code, reason) => void far.push(['close', code, reason]),
    abort: (reason) => void far.push(['abort', reason]),
  };
  const local = new LocalEnd();
  const joint = new SocketJoint();
  early(joint);
  joint.join(local as unknown as WebSocket, tunnel);
  return { joint, local, far };
}

describe('two WebSockets that are joined', () => {
  it('pass on text as text and bytes as bytes', () => {
    const { joint, local, far } = join();
    joint.onMessage('ä');
    joint.onMessage(new Uint8Array([1]));
    local.emit('message', Buffer.from('ö'), false);
    local.emit('message', Buffer.from([2]), true);
    expect(local.calls).toEqual([
      ['send', 'ä', false],
      ['send', new Uint8Array([1]), true],
    ]);
    expect(far).toEqual([
      ['send', 'ö'],
      ['send', Buffer.from([2])],
    ]);
  });

  it('deliver first what came before they were joined, the end included', () => {
    const { local } = join({
      early: (joint) => {
        joint.onMessage('1');
        joint.onMessage('2');
        joint.onClose({ code: 4000, reason: 'bye' });
      },
    });
    expect(local.calls).toEqual([
      ['send', '1', false],
      ['send', '2', false],
      'resume',
      ['close', 4000, 'bye'],
    ]);
  });

  it('hold the local program back while the tunnel has enough', () => {
    const { joint, local } = join({ takesMore: false });
    local.emit('message', Buffer.from('x'), false);
    expect(local.calls).toEqual(['pause']);
    joint.onDrain();
    expect(local.calls).toEqual(['pause', 'resume']);
  });

  it('hold the tunnel back above 1 MiB for a slow local program', () => {
    const { joint, local, far } = join();
    joint.onMessage(new Uint8Array(1024 * 1024));
    expect(far).toEqual([]);
    joint.onMessage(new Uint8Array(1));
    expect(far).toEqual(['pause']);
    local.flush();
    expect(far.slice(0, 2)).toEqual(['pause', 'resume']);
  });

  it.each([
    [1000, 'done', ['close', 1000, 'done']],
    [1012, '', ['close', 1012, '']],
    [4999, 'x', ['close', 4999, 'x']],
    [1005, '', ['close', undefined, undefined]],
    [1015, '', ['close', undefined, undefined]],
    [2999, '', ['close', undefined, undefined]],
    [1006, '', 'terminate'],
  ])('end as the far end with %i', (code, reason, call) => {
    const { joint, local } = join();
    joint.onClose({ code, reason });
    expect(local.calls).toEqual(['resume', call]);
  });

  it('cut a reason that a frame cannot hold, between characters', () => {
    const { joint, local } = join();
    joint.onClose({ code: 1000, reason: 'é'.repeat(62) });
    expect(local.calls.at(-1)).toEqual(['close', 1000, 'é'.repeat(61)]);
  });

  it.each([
    [1000, 'ok', ['close', 1000, 'ok']],
    [4001, '', ['close', 4001, '']],
    [1005, '', ['close', 1000, '']],
    [1006, '', ['abort', 'the local WebSocket broke']],
  ])('end at the far end as the local one with %i', (code, reason, call) => {
    const { local, far } = join();
    local.emit('close', code, Buffer.from(reason));
    expect(far).toEqual([call]);
  });

  it('end once: the answer to a close is no close', () => {
    const { joint, local, far } = join();
    joint.onClose({ code: 1000, reason: '' });
    local.emit('message', Buffer.from('late'), false);
    local.emit('close', 1000, Buffer.alloc(0));
    expect(far).toEqual([]);
  });
});
