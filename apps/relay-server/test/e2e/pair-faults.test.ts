import { closePayload, encodeFrame, opcodes } from '@openchambery/testkit';
import type { OutgoingFrame } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { halfRawPair } from './support/raw-pair.ts';
import { roomy, useRelay } from './support/relay.ts';
import { connectHost, connectPair, expectClosed, expectCloseFrame, expectLive } from './support/sockets.ts';

// Layer 1 §6: what is too big is 1009, what breaks RFC 6455 is 1002; the peer gets 1012 whichever leg it is.

const relay = useRelay({ limits: roomy });
const legs = ['client', 'host-data'] as const;
const MAX_FRAME_BYTES = 131_072;

describe.each(legs)('from the %s leg', (leg) => {
  async function expectFault(
    code: number | readonly number[],
    frames: readonly OutgoingFrame[],
  ): Promise<void> {
    const host = await connectHost(relay);
    const { raw, peer, connectionId } = await halfRawPair(relay, host, leg);
    for (const frame of frames) void raw.send(frame);
    const info = await raw.closeFrame();
    expect([code].flat(), `close frame with reason "${info.reason}"`).toContain(info.code);
    expect(info.reason).not.toBe('');
    await expectClosed(peer, 1012);
    expect(await host.nextId('disconnected')).toBe(connectionId);
    await expectLive(relay, host);
  }

  it('a frame one byte over MAX_FRAME_BYTES is 1009', async () => {
    await expectFault(1009, [{ opcode: opcodes.binary, payload: Buffer.alloc(MAX_FRAME_BYTES + 1) }]);
  });

  it('a frame that only announces too much is 1009 before its payload comes', async () => {
    await expectFault(1009, [{ opcode: opcodes.text, declaredBytes: 5_000_000_000n }]);
  });

  it('a fragmented message one byte over in total is 1009', async () => {
    await expectFault(1009, [
      { opcode: opcodes.binary, payload: Buffer.alloc(65_536), fin: false },
      { opcode: opcodes.continuation, payload: Buffer.alloc(65_536), fin: false },
      { opcode: opcodes.continuation, payload: Buffer.alloc(1) },
    ]);
  });

  it('fragments without end are 1009 once they are too much', async () => {
    const fragments = Array.from({ length: 50 }, () => ({
      opcode: opcodes.continuation,
      payload: Buffer.alloc(4000),
      fin: false,
    }));
    await expectFault(1009, [{ opcode: opcodes.text, fin: false }, ...fragments]);
  });

  it.each<[string, OutgoingFrame[]]>([
    ['an unmasked frame', [{ opcode: opcodes.text, payload: 'bare', masked: false }]],
    ['the first reserved bit', [{ opcode: opcodes.text, payload: 'x', rsv: 4 }]],
    ['the second reserved bit', [{ opcode: opcodes.text, payload: 'x', rsv: 2 }]],
    ['the third reserved bit', [{ opcode: opcodes.text, payload: 'x', rsv: 1 }]],
    ['a reserved bit on a ping', [{ opcode: opcodes.ping, payload: 'x', rsv: 4 }]],
    ['opcode 3', [{ opcode: 3, payload: 'x' }]],
    ['opcode 7', [{ opcode: 7 }]],
    ['opcode 11', [{ opcode: 11 }]],
    ['opcode 15', [{ opcode: 15, payload: 'x' }]],
    ['a continuation of nothing', [{ opcode: opcodes.continuation, payload: 'x' }]],
    [
      'a continuation after the end',
      [
        { opcode: opcodes.text, payload: 'x' },
        { opcode: opcodes.continuation, payload: 'y' },
      ],
    ],
    [
      'a new message inside another',
      [
        { opcode: opcodes.text, payload: 'x', fin: false },
        { opcode: opcodes.binary, payload: 'y' },
      ],
    ],
    ['a fragmented ping', [{ opcode: opcodes.ping, payload: 'x', fin: false }]],
    ['a fragmented close', [{ opcode: opcodes.close, payload: closePayload(1000), fin: false }]],
    ['a ping of 126 bytes', [{ opcode: opcodes.ping, payload: Buffer.alloc(126) }]],
    ['a close of 126 bytes', [{ opcode: opcodes.close, payload: closePayload(1000, 'x'.repeat(124)) }]],
    ['a close of one byte', [{ opcode: opcodes.close, payload: Buffer.alloc(1) }]],
    ['a close with 1005', [{ opcode: opcodes.close, payload: closePayload(1005) }]],
    ['a close with 1006', [{ opcode: opcodes.close, payload: closePayload(1006) }]],
    ['a close with 999', [{ opcode: opcodes.close, payload: closePayload(999) }]],
    ['a close with 5000', [{ opcode: opcodes.close, payload: closePayload(5000) }]],
  ])('%s is 1002', async (_name, frames) => {
    await expectFault(1002, frames);
  });

  it('a close reason that is not UTF-8 is 1002 or 1007', async () => {
    const payload = Buffer.concat([closePayload(1000), Buffer.from([0xff, 0xfe])]);
    await expectFault([1002, 1007], [{ opcode: opcodes.close, payload }]);
  });

  it('a 64-bit length with its highest bit is 1002 or 1009', async () => {
    await expectFault([1002, 1009], [{ opcode: opcodes.binary, declaredBytes: 1n << 63n }]);
  });

  it('what came before the fault is delivered before the 1012', async () => {
    const host = await connectHost(relay);
    const { raw, peer } = await halfRawPair(relay, host, leg);
    const good = Array.from({ length: 40 }, (_, i) =>
      encodeFrame({ opcode: opcodes.text, payload: `m${i}` }),
    );
    void raw.raw.write(Buffer.concat([...good, encodeFrame({ opcode: 3 })]));
    for (let i = 0; i < 40; i++) expect(await peer.text()).toBe(`m${i}`);
    await expectClosed(peer, 1012);
    await expectCloseFrame(raw, 1002);
  });

  it('nothing that follows a fault is taken', async () => {
    const host = await connectHost(relay);
    const { raw, peer } = await halfRawPair(relay, host, leg);
    const after = encodeFrame({ opcode: opcodes.text, payload: 'after the fault' });
    void raw.raw.write(Buffer.concat([encodeFrame({ opcode: 3 }), after]));
    await expectClosed(peer, 1012);
    expect(peer.messages.total).toBe(0);
  });

  it('half a message followed by a fault is never delivered', async () => {
    const host = await connectHost(relay);
    const { raw, peer } = await halfRawPair(relay, host, leg);
    void raw.send({ opcode: opcodes.text, payload: 'half', fin: false });
    void raw.send({ opcode: opcodes.text, payload: 'another' });
    await expectClosed(peer, 1012);
    expect(peer.messages.total).toBe(0);
  });
});

describe('MAX_FRAME_BYTES from the configuration', () => {
  const small = useRelay({ limits: { ...roomy, MAX_FRAME_BYTES: 1000 } });

  it('holds at the limit and one over', async () => {
    const host = await connectHost(small);
    const { client, data } = await connectPair(small, host);
    await client.send(Buffer.alloc(1000));
    expect((await data.message()).data.length).toBe(1000);
    await client.send(Buffer.alloc(1001));
    await expectClosed(client, 1009);
    await expectClosed(data, 1012);
    expect(data.messages.total).toBe(1);
  });
});
