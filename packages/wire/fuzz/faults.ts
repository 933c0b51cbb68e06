import { closeBody } from '../test/support/client-frames.ts';
import type { ClientFrame } from '../test/support/client-frames.ts';
import type { Random } from './random.ts';

/** Codes that may not be in a close frame. */
const BAD_CODES = [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 2000, 2999, 5000, 65_535];
const BAD_REASONS = ['ff', 'c0af', 'eda080', 'f4908080', 'e282', '80'];
const RESERVED_DATA_OPCODES = [3, 4, 5, 6, 7];
const RESERVED_CONTROL_OPCODES = [11, 12, 13, 14, 15];

/** Frames that break RFC 6455 or the limit, each in one way. Some need to be in a message, some between two. */
export function makeFault(random: Random, maxMessageBytes: number): ClientFrame[] {
  const payload = random.bytes(random.integer(0, 130));
  const opcode = random.pick([1, 2]);
  const control = random.pick([8, 9, 10]);
  const over = BigInt(maxMessageBytes + 1);
  const start: ClientFrame = { opcode, fin: false, payload: payload.subarray(0, maxMessageBytes) };
  return random.pick<() => ClientFrame[]>([
    () => [{ opcode, payload, masked: false }],
    () => [{ opcode: control, masked: false }],
    () => [{ opcode, payload, rsv: random.integer(1, 7) }],
    () => [{ opcode: control, rsv: random.integer(1, 7) }],
    () => [{ opcode: random.pick(RESERVED_DATA_OPCODES), payload }],
    () => [{ opcode: random.pick(RESERVED_CONTROL_OPCODES) }],
    () => [{ opcode: control, fin: false }],
    () => [{ opcode: control, payload: random.bytes(random.integer(126, 300)) }],
    () => [{ opcode: 0, payload, fin: random.chance(0.5) }],
    () => [start, { opcode: random.pick([1, 2]), payload }],
    () => [{ opcode, declaredBytes: over }],
    () => [{ opcode, payload: Buffer.alloc(maxMessageBytes + 1) }],
    () => [start, { opcode: 9 }, { opcode: 0, declaredBytes: over }],
    () => [{ opcode, declaredBytes: 2n ** BigInt(random.integer(32, 62)) }],
    () => [{ opcode, declaredBytes: 2n ** 63n + BigInt(random.next()) }],
    () => [{ opcode: 8, payload: Buffer.of(random.integer(0, 255)) }],
    () => [{ opcode: 8, payload: closeBody(random.pick(BAD_CODES), 'bad code') }],
    () => [{ opcode: 8, payload: closeBody(1000, Buffer.from(random.pick(BAD_REASONS), 'hex')) }],
  ])();
}

/** Changes some bits of a stream, anywhere in it. */
export function flipBits(random: Random, stream: Buffer): Buffer {
  const flipped = Buffer.from(stream);
  if (flipped.length === 0) return flipped;
  const count = random.integer(1, 3);
  for (let i = 0; i < count; i++) {
    // Near the front now and then: in a long stream most bits are payload.
    const at = random.integer(0, (random.chance(0.5) ? Math.min(flipped.length, 64) : flipped.length) - 1);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << random.integer(0, 7));
  }
  return flipped;
}
