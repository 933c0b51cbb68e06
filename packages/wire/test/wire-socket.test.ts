import { describe, expect, it } from 'vitest';
import { NO_STATUS, splice } from '../src/index.ts';
import { clientFrame, closeBody, patternBytes } from './support/client-frames.ts';
import type { ClientFrame } from './support/client-frames.ts';
import { bindEnds, Leg, openScriptedPair, settle } from './support/scripted-pair.ts';
import { createTestContext, WIDE_LIMITS } from './support/test-context.ts';

const NOTHING = Buffer.alloc(0);
const { closeDeadlineMs } = WIDE_LIMITS;

async function openLeg(test = createTestContext()): Promise<Leg> {
  const leg = new Leg(test);
  leg.wire.start(NOTHING);
  await settle();
  return leg;
}

describe('WireSocket from its start', () => {
  it('answers the handshake at once and reads nothing before it is started', async () => {
    const test = createTestContext();
    const source = new Leg(test);
    const target = new Leg(test);
    source.send({ opcode: 1, payload: 'early' });
    splice(source.wire, target.wire);
    target.wire.start(NOTHING);
    await settle();
    expect(source.peer.takenBytes.toString()).toContain('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
    expect(source.wire.receivedBytes).toBe(0);
    expect(target.texts()).toEqual([]);
    source.wire.start(NOTHING);
    await settle();
    expect(target.texts()).toEqual(['early']);
  });

  it('begins with what came behind the request, cut anywhere', async () => {
    const stream = Buffer.concat([
      clientFrame({ opcode: 1, payload: 'first' }),
      clientFrame({ opcode: 1, payload: 'second' }),
    ]);
    for (let cut = 0; cut <= stream.length; cut++) {
      const test = createTestContext();
      const source = new Leg(test);
      const target = new Leg(test);
      splice(source.wire, target.wire);
      source.wire.start(Buffer.from(stream.subarray(0, cut)));
      if (cut < stream.length) source.peer.receive(stream.subarray(cut));
      await settle();
      expect(target.texts()).toEqual(['first', 'second']);
    }
  });

  it('forwards both ways, text as text and binary as binary, and control frames never', async () => {
    const { source, target } = await openScriptedPair(createTestContext());
    source.send({ opcode: 1, payload: 'there' }, { opcode: 9, payload: 'p' }, { opcode: 10, payload: 'q' });
    target.send({ opcode: 2, payload: 'back' });
    await settle();
    expect(target.received().messages).toEqual([{ isBinary: false, payload: Buffer.from('there') }]);
    expect(source.received().messages).toEqual([{ isBinary: true, payload: Buffer.from('back') }]);
    expect(target.received().controls).toEqual([]);
    expect(source.pongs()).toEqual(['p']);
  });

  it('counts what it has received and sent', async () => {
    const { source, target } = await openScriptedPair(createTestContext());
    const answerBytes = target.peer.takenBytes.length;
    const frame = clientFrame({ opcode: 1, payload: 'twelve bytes' });
    source.peer.receive(frame);
    await settle();
    expect(source.wire.receivedBytes).toBe(frame.length);
    expect(target.wire.sentBytes).toBe(answerBytes + 2 + 12);
    target.block();
    source.send({ opcode: 1, payload: 'x'.repeat(100) });
    await settle();
    expect(target.wire.waitingBytes).toBe(102);
    expect(target.wire.sentBytes).toBe(answerBytes + 14);
    target.peer.drain(2);
    expect(target.wire.sentBytes).toBe(answerBytes + 16);
    target.peer.drainAll();
    expect(target.wire.sentBytes).toBe(answerBytes + 116);
    expect(target.wire.waitingBytes).toBe(0);
  });

  it('reads and drops messages that nobody wants', async () => {
    const leg = await openLeg();
    leg.send({ opcode: 1, payload: 'ignored' }, { opcode: 9, payload: 'still answered' });
    await settle();
    expect(leg.pongs()).toEqual(['still answered']);
    expect(leg.wire.isOpen).toBe(true);
  });

  it('sends text of its own, and says when all of it has been taken', async () => {
    const leg = await openLeg();
    leg.wire.sendText('grüße');
    expect(leg.texts()).toEqual(['grüße']);
    leg.block();
    leg.wire.sendText('one');
    leg.wire.sendText('two');
    const { drains } = leg.heard;
    leg.peer.drain(3);
    expect(leg.heard.drains).toBe(drains);
    leg.peer.drainAll();
    expect(leg.heard.drains).toBeGreaterThan(drains);
    expect(leg.texts()).toEqual(['grüße', 'one', 'two']);
  });
});

describe('WireSocket when its peer ends', () => {
  it.each<[string, Buffer, number, string]>([
    ['without a code', NOTHING, NO_STATUS, ''],
    ['with a code', closeBody(1000), 1000, ''],
    ['with a code and a reason', closeBody(4999, 'später'), 4999, 'später'],
  ])('echoes a close %s, then ends TCP and is gone', async (_name, payload, code, reason) => {
    const test = createTestContext();
    const leg = await openLeg(test);
    leg.send({ opcode: 8, payload });
    await settle();
    expect(leg.heard.ends).toEqual([{ kind: 'closed', code, reason }]);
    expect(leg.received().ending).toEqual({ kind: 'closed', code, reason: '' });
    expect(leg.peer.writableEnded).toBe(true);
    expect(leg.heard.goneCount).toBe(0);
    expect(leg.wire.isOpen).toBe(false);
    leg.peer.receiveEnd();
    await settle();
    expect(leg.heard.goneCount).toBe(1);
    expect(leg.heard.ends).toHaveLength(1);
    expect(test.clock.pendingTimers).toBe(0);
  });

  it.each<[string, ClientFrame, number]>([
    ['a protocol fault', { opcode: 3 }, 1002],
    ['a close reason that is not UTF-8', { opcode: 8, payload: closeBody(1000, Buffer.of(0xff)) }, 1007],
    ['a message over the limit', { opcode: 2, declaredBytes: 131_073n }, 1009],
  ])('closes with the code for %s and a reason', async (_name, frame, code) => {
    const leg = await openLeg();
    leg.send(frame);
    await settle();
    expect(leg.heard.ends).toEqual([{ kind: 'fault', code, reason: expect.stringMatching(/\w/) }]);
    expect(leg.received().ending).toMatchObject({
      kind: 'closed',
      code,
      reason: expect.stringMatching(/\w/),
    });
    leg.send({ opcode: 1, payload: 'ignored' });
    leg.peer.receiveEnd();
    await settle();
    expect(leg.heard.goneCount).toBe(1);
  });

  it('says that a peer is lost when TCP ends, with no close frame to anyone', async () => {
    const leg = await openLeg();
    leg.peer.receiveEnd();
    await settle();
    expect(leg.heard.ends).toEqual([{ kind: 'lost' }]);
    expect(leg.received().ending).toEqual({ kind: 'open' });
    expect(leg.heard.goneCount).toBe(1);
  });

  it('leaves alone what is on its way to a peer that has ended TCP', async () => {
    const test = createTestContext();
    const { source, target } = await openScriptedPair(test);
    target.block();
    source.send({ opcode: 2, payload: patternBytes(40_000) });
    target.peer.receiveEnd();
    await settle();
    expect(target.heard.ends).toEqual([{ kind: 'lost' }]);
    // Other traffic, also such that has to wait, goes through all the memory that is free again.
    const other = await openScriptedPair(test);
    other.target.block();
    for (let i = 0; i < 10; i++) other.source.send({ opcode: 2, payload: Buffer.alloc(60_000, 0xee) });
    target.peer.drainAll();
    expect(target.received().messages).toEqual([{ isBinary: true, payload: patternBytes(40_000) }]);
  });

  it('says that a peer is lost when the connection breaks', async () => {
    const leg = await openLeg();
    leg.peer.destroy(new Error('ECONNRESET'));
    await settle();
    expect(leg.heard.ends).toEqual([{ kind: 'lost' }]);
    expect(leg.heard.goneCount).toBe(1);
  });

  it('destroys a peer that closed and never ends TCP, after the deadline', async () => {
    const test = createTestContext();
    const leg = await openLeg(test);
    leg.send({ opcode: 8 });
    await settle();
    test.clock.advance(closeDeadlineMs - 1);
    await settle();
    expect(leg.heard.goneCount).toBe(0);
    test.clock.advance(1);
    await settle();
    expect(leg.heard.goneCount).toBe(1);
  });

  it('delivers to the other leg what came before the end, then closes it', async () => {
    const test = createTestContext();
    const pair = await openScriptedPair(test);
    bindEnds(pair);
    const { source, target } = pair;
    target.block();
    source.send({ opcode: 1, payload: 'first' });
    source.send({ opcode: 1, payload: 'last' }, { opcode: 8, payload: closeBody(1000) });
    await settle();
    expect(target.heard.ends).toEqual([]);
    target.peer.drainAll();
    await settle();
    expect(target.texts()).toEqual(['first', 'last']);
    expect(target.received().ending).toMatchObject({ kind: 'closed', code: 1000 });
  });
});

describe('WireSocket when it is closed', () => {
  it('sends its close frame behind what waits, and nothing behind that', async () => {
    const { source, target } = await openScriptedPair(createTestContext());
    target.block();
    source.send({ opcode: 1, payload: 'waits' });
    await settle();
    target.wire.close(1012, 'stopping');
    source.send({ opcode: 1, payload: 'too late' });
    target.wire.sendText('too late');
    target.send({ opcode: 9, payload: 'too late' });
    target.wire.close(1000, 'a second time');
    await settle();
    target.peer.drainAll();
    await settle();
    expect(target.texts()).toEqual(['waits']);
    expect(target.received().ending).toEqual({ kind: 'closed', code: 1012, reason: 'stopping' });
    expect(target.received().restBytes).toBe(0);
    expect(target.heard.ends).toEqual([]);
  });

  it('never breaks a message that is under way into a broken stream', async () => {
    const { source, target } = await openScriptedPair(createTestContext());
    const frame = clientFrame({ opcode: 2, payload: Buffer.alloc(100_000, 7) });
    source.peer.receive(frame.subarray(0, 60_000));
    await settle();
    target.wire.close(1012, 'stopping');
    source.peer.receive(frame.subarray(60_000));
    await settle();
    const { partial, ending, messages } = target.received();
    expect(messages).toEqual([]);
    expect(partial?.payload.length).toBe(60_000 - 14);
    expect(ending).toMatchObject({ kind: 'closed', code: 1012 });
  });

  it('ends TCP when the peer has answered, and only its owner has been told', async () => {
    const test = createTestContext();
    const leg = await openLeg(test);
    leg.wire.close(1012, 'stopping');
    await settle();
    expect(leg.peer.writableEnded).toBe(false);
    leg.send({ opcode: 1, payload: 'was under way' }, { opcode: 8, payload: closeBody(1012) });
    await settle();
    expect(leg.peer.writableEnded).toBe(true);
    leg.peer.receiveEnd();
    await settle();
    expect(leg.heard).toMatchObject({ ends: [], goneCount: 1 });
    expect(test.clock.pendingTimers).toBe(0);
  });

  it.each<[string, (leg: Leg) => void]>([
    ['breaks the protocol', (leg) => leg.send({ opcode: 3 })],
    ['ends TCP', (leg) => leg.peer.receiveEnd()],
  ])('ends TCP too when the peer %s instead of answering', async (_name, act) => {
    const leg = await openLeg();
    leg.wire.close(1012, 'stopping');
    await settle();
    act(leg);
    await settle();
    expect(leg.peer.writableEnded).toBe(true);
    expect(leg.received().ending).toMatchObject({ kind: 'closed', code: 1012 });
    expect(leg.heard.ends).toEqual([]);
  });

  it('waits for the answer until the deadline', async () => {
    const test = createTestContext();
    const leg = await openLeg(test);
    leg.wire.close(1012, 'stopping');
    test.clock.advance(closeDeadlineMs - 1);
    await settle();
    expect(leg.heard.goneCount).toBe(0);
    test.clock.advance(1);
    await settle();
    expect(leg.heard.goneCount).toBe(1);
  });

  it('waits until the deadline for what is queued, then anew for the answer', async () => {
    const test = createTestContext();
    const { source, target } = await openScriptedPair(test);
    target.block();
    source.send({ opcode: 1, payload: 'waits' });
    await settle();
    target.wire.close(1012, 'stopping');
    test.clock.advance(closeDeadlineMs - 1);
    target.peer.drainAll();
    test.clock.advance(closeDeadlineMs - 1);
    await settle();
    expect(target.heard.goneCount).toBe(0);
    test.clock.advance(1);
    await settle();
    expect(target.heard.goneCount).toBe(1);
  });

  it('gives up at the deadline when what is queued is not taken', async () => {
    const test = createTestContext();
    const { source, target } = await openScriptedPair(test);
    target.block();
    source.send({ opcode: 1, payload: 'waits' });
    await settle();
    target.wire.close(1012, 'stopping');
    test.clock.advance(closeDeadlineMs - 1);
    await settle();
    expect(target.heard.goneCount).toBe(0);
    test.clock.advance(1);
    await settle();
    expect(target.heard.goneCount).toBe(1);
    expect(test.context.budget.usedBytes).toBe(0);
  });

  it('lets both sides close at once', async () => {
    const leg = await openLeg();
    leg.send({ opcode: 8, payload: closeBody(1000) });
    leg.wire.close(1012, 'stopping');
    await settle();
    leg.peer.receiveEnd();
    await settle();
    expect(leg.heard.goneCount).toBe(1);
    expect(leg.received().controls).toHaveLength(1);
  });

  it('is gone at once when it is terminated', async () => {
    const test = createTestContext();
    const leg = await openLeg(test);
    leg.wire.terminate();
    await settle();
    expect(leg.heard.goneCount).toBe(1);
    expect(leg.peer.destroyed).toBe(true);
    expect(test.clock.pendingTimers).toBe(0);
  });

  it('cuts a reason that does not fit', async () => {
    const leg = await openLeg();
    leg.wire.close(1008, 'é'.repeat(100));
    expect(leg.received().ending).toEqual({ kind: 'closed', code: 1008, reason: 'é'.repeat(61) });
  });
});
