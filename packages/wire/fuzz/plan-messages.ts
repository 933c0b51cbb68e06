import { clientFrame, closeBody } from '../test/support/client-frames.ts';
import type { ClientFrame } from '../test/support/client-frames.ts';
import { flipBits, makeFault } from './faults.ts';
import type { Step } from './plan.ts';
import type { Random } from './random.ts';

/** Codes that may be in a close frame, and none. */
const CODES = [undefined, 1000, 1001, 1003, 1007, 1008, 1011, 1014, 3000, 4000, 4999];
const REASONS = ['', 'bye', 'schöne Grüße', '😀'.repeat(30)];

/** How much a side may send, which decides how finely it may be cut. */
export interface Scale {
  readonly maxMessageBytes: number;
  /** About the most payload of all messages together, in bytes. */
  readonly totalBytes: number;
}

/** How a script ends. The others happen at any point of it. */
export type Ending = 'none' | 'close' | 'fin' | 'destroy' | 'fault' | 'flip';

function makeSizes(random: Random, { maxMessageBytes, totalBytes }: Scale): number[] {
  const edges = [
    0,
    1,
    2,
    125,
    126,
    127,
    4095,
    4096,
    4097,
    65_535,
    65_536,
    maxMessageBytes - 1,
    maxMessageBytes,
  ];
  const count = random.chance(0.1) ? random.integer(20, 150) : random.integer(0, 10);
  const sizes: number[] = [];
  let left = totalBytes;
  for (let i = 0; i < count; i++) {
    const size = random.chance(0.5)
      ? random.pick(edges)
      : random.integer(0, random.pick([10, 300, 5000, 40_000]));
    if (size > maxMessageBytes || size > left) continue;
    left -= size;
    sizes.push(size);
  }
  return sizes;
}

/** Where a message of `size` bytes is cut into fragments. */
function makeCuts(random: Random, size: number): number[] {
  if (random.chance(0.6)) return [0, size];
  const inner = Array.from({ length: random.integer(1, 5) }, () => random.integer(0, size));
  return [0, ...inner.sort((a, b) => a - b), size];
}

/** The script of a client of the library. */
export function makeLibraryScript(random: Random, scale: Scale, ending: Ending): Step[] {
  const steps: Step[] = [];
  let pings = 0;
  const addExtras = (): void => {
    if (random.chance(0.15)) steps.push({ kind: 'wait', turns: random.integer(0, 20) });
    if (random.chance(0.1)) steps.push({ kind: 'pong', data: random.bytes(random.integer(0, 125)) });
    if (random.chance(0.2)) steps.push({ kind: 'ping', data: makePing(random, pings++) });
  };
  for (const size of [
    ...makeSizes(random, scale),
    ...(ending === 'fault' ? [scale.maxMessageBytes + 1] : []),
  ]) {
    const [payload, isBinary] = [random.bytes(size), random.chance(0.5)];
    const cuts = makeCuts(random, size);
    for (let i = 1; i < cuts.length; i++) {
      addExtras();
      const data = payload.subarray(cuts[i - 1], cuts[i]);
      steps.push({ kind: 'send', data, isBinary, fin: i === cuts.length - 1 });
    }
  }
  addExtras();
  if (ending === 'close') steps.push(makeClose(random));
  if (ending === 'destroy')
    steps.splice(random.integer(0, steps.length), Number.POSITIVE_INFINITY, { kind: 'destroy' });
  return steps;
}

/** The script of a writer of bytes: frames of any form, cut at any byte. */
export function makeRawScript(random: Random, scale: Scale, ending: Ending): Step[] {
  const frames = makeFrames(random, scale);
  if (ending === 'fault')
    frames.splice(random.integer(0, frames.length), 0, ...makeFault(random, scale.maxMessageBytes));
  if (ending === 'close') {
    const { code, reason } = makeClose(random);
    const close = { opcode: 8, payload: code === undefined ? undefined : closeBody(code, reason) };
    // Whatever follows a close frame must not matter.
    frames.splice(random.integer(0, frames.length), 0, close);
  }
  const encoded = frames.map(clientFrame);
  let stream: Buffer = Buffer.concat(encoded);
  if (ending === 'flip') stream = flipBits(random, stream);
  if (ending === 'fin' || ending === 'destroy') stream = stream.subarray(0, random.integer(0, stream.length));
  const steps = cutIntoSteps(random, { stream, boundaries: boundariesOf(encoded) });
  if (ending === 'fin' || ending === 'destroy') steps.push({ kind: ending });
  return steps;
}

function makeFrames(random: Random, scale: Scale): ClientFrame[] {
  const frames: ClientFrame[] = [];
  let pings = 0;
  const addControls = (): void => {
    while (random.chance(0.15)) {
      const isPing = random.chance(0.6);
      const payload = isPing ? makePing(random, pings++) : random.bytes(random.integer(0, 125));
      frames.push({ opcode: isPing ? 9 : 10, payload, key: random.bytes(4) });
    }
  };
  for (const size of makeSizes(random, scale)) {
    const payload = random.bytes(size);
    const cuts = makeCuts(random, size);
    const opcode = random.pick([1, 2]);
    for (let i = 1; i < cuts.length; i++) {
      addControls();
      frames.push({
        opcode: i === 1 ? opcode : 0,
        fin: i === cuts.length - 1,
        payload: payload.subarray(cuts[i - 1], cuts[i]),
        key: random.chance(0.05) ? Buffer.alloc(4) : random.bytes(4),
        lengthBits: random.chance(0.05) ? 64 : undefined,
      });
    }
  }
  addControls();
  return frames;
}

function boundariesOf(frames: readonly Buffer[]): Set<number> {
  let at = 0;
  return new Set([0, ...frames.map((frame) => (at += frame.length))]);
}

function cutIntoSteps(
  random: Random,
  { stream, boundaries }: { stream: Buffer; boundaries: ReadonlySet<number> },
): Step[] {
  const steps: Step[] = [];
  const smallest = Math.ceil(stream.length / 300);
  const largest = Math.max(smallest, random.pick([1, 2, 7, 100, 1460, 16_384, 65_536, 1_000_000]));
  for (let at = 0; at < stream.length; ) {
    const end = Math.min(stream.length, at + random.integer(smallest, largest));
    steps.push({ kind: 'write', bytes: stream.subarray(at, end), isBoundary: boundaries.has(end) });
    if (random.chance(0.1)) steps.push({ kind: 'wait', turns: random.integer(0, 20) });
    at = end;
  }
  return steps;
}

function makePing(random: Random, number: number): Buffer {
  // Numbered, so that each pong tells which ping it answers.
  return Buffer.concat([Buffer.from(`#${number} `), random.bytes(random.integer(0, 115))]);
}

function makeClose(random: Random): Extract<Step, { kind: 'close' }> {
  const code = random.pick(CODES);
  return { kind: 'close', code, reason: code === undefined ? '' : random.pick(REASONS) };
}
