import { afterAll, beforeAll, expect } from 'vitest';
import { clientFrame, closeBody } from '../support/client-frames.ts';
import type { ClientFrame } from '../support/client-frames.ts';
import type { StreamEnding } from '../support/naive-decoder.ts';
import { openTcpPair, TcpRig, until } from '../support/tcp-rig.ts';
import type { TcpLeg } from '../support/tcp-rig.ts';
import { createTestContext } from '../support/test-context.ts';

/** The most payload a message may have in these cases, in bytes. */
export const LIMIT_BYTES = 131_072;

/** How the bytes of a case are written. Each write is an event of its own for the sender's kernel. */
export type Delivery = 'in one write' | 'frame by frame' | 'octet by octet' | 'in chops of 997 octets';

export interface ConformanceCase {
  /** Number within the groups of the Autobahn test suite, and what the case is about. Stable. */
  readonly id: string;
  readonly frames: readonly ClientFrame[];
  /** Messages the other leg gets, as text or as bytes. */
  readonly forwarded?: readonly (string | Buffer)[];
  /** Payloads of pings, all or the last of which are answered. */
  readonly pinged?: readonly string[];
  /** How the hop that got the frames ends: what its close frame says. @default 1000, closed by the case's end */
  readonly ending?: { readonly code: number; readonly isFault?: boolean };
  /** @default every delivery for small cases, one write for large ones */
  readonly deliveries?: readonly Delivery[];
}

const CLOSE: ClientFrame = { opcode: 8, payload: closeBody(1000) };
const SMALL_BYTES = 3000;

let rig: TcpRig;

/** Opens the listener that the cases of a file share. */
export function useRig(): void {
  beforeAll(async () => {
    rig = await TcpRig.open();
  });
  afterAll(() => rig.close());
}

/** Each case in each way of its delivery. */
export function deliveriesOf(
  cases: readonly ConformanceCase[],
): { id: string; delivery: Delivery; one: ConformanceCase }[] {
  return cases.flatMap((one) => {
    const bytes = one.frames.reduce((sum, frame) => sum + clientFrame(frame).length, 0);
    const ways: Delivery[] =
      bytes <= SMALL_BYTES
        ? ['in one write', 'frame by frame', 'octet by octet']
        : ['in one write', 'in chops of 997 octets'];
    return (one.deliveries ?? ways).map((delivery) => ({ id: one.id, delivery, one }));
  });
}

/** Plays a case from a raw peer into a spliced pair and compares everything that both peers get. */
export async function play(one: ConformanceCase, delivery: Delivery): Promise<void> {
  const test = createTestContext({ realTurns: true, limits: { maxMessageBytes: LIMIT_BYTES } });
  const { source, target } = await openTcpPair(rig, test);
  const frames = one.ending === undefined ? [...one.frames, CLOSE] : one.frames;
  for (const piece of cut(frames, delivery)) await source.far.write(piece);
  await until('both legs are closed', () => [source, target].every(isClosed));
  source.far.halfClose();
  target.far.halfClose();
  await Promise.all([source.heard.gone, target.heard.gone]);

  const { code, isFault = false } = one.ending ?? { code: 1000 };
  const [answers, forwarded] = [source.received(), target.received()];
  expect(answers.ending).toMatchObject({ kind: 'closed', code });
  expect(forwarded.ending).toMatchObject({ kind: 'closed', code: isFault ? 1012 : 1000 });
  expect(source.heard.ends).toMatchObject([{ kind: isFault ? 'fault' : 'closed', code }]);
  expect(target.heard.ends).toEqual([]);
  expect(forwarded.messages.map(readable)).toEqual((one.forwarded ?? []).map(readableOf));
  expect(answers.messages).toEqual([]);
  expectPongs(answers.controls, one.pinged ?? []);
  expect(forwarded.controls.filter(({ opcode }) => opcode !== 8)).toEqual([]);
  expect([test.context.budget.usedBytes, test.clock.pendingTimers, test.context.blocks.lentCount]).toEqual([
    0, 0, 0,
  ]);
}

/** Sends bytes as text, whole and byte by byte, and gives what arrives as text. */
export async function playText(payload: Buffer): Promise<Buffer> {
  const test = createTestContext({ realTurns: true });
  const { source, target } = await openTcpPair(rig, test);
  const frames = [...payload].map(
    (byte, at): ClientFrame => ({
      opcode: at === 0 ? 1 : 0,
      payload: Buffer.of(byte),
      fin: at === payload.length - 1,
    }),
  );
  await source.send({ opcode: 1, payload }, ...frames, CLOSE);
  await until('both legs are closed', () => [source, target].every(isClosed));
  const [whole, pieced] = target.received().messages;
  expect(whole).toEqual(pieced);
  expect(whole?.isBinary).toBe(false);
  source.far.destroy();
  target.far.destroy();
  return whole?.payload ?? Buffer.alloc(0);
}

function cut(frames: readonly ClientFrame[], delivery: Delivery): Buffer[] {
  const bytes = frames.map(clientFrame);
  if (delivery === 'frame by frame') return bytes;
  const stream = Buffer.concat(bytes);
  if (delivery === 'in one write') return [stream];
  const size = delivery === 'octet by octet' ? 1 : 997;
  return Array.from({ length: Math.ceil(stream.length / size) }, (_, at) =>
    stream.subarray(at * size, (at + 1) * size),
  );
}

function isClosed(leg: TcpLeg): boolean {
  return leg.heard.goneCount > 0 || isOver(leg.received().ending);
}

function isOver(ending: StreamEnding): boolean {
  return ending.kind !== 'open';
}

/** Pongs answer pings in order and one may answer several, but the last ping has its own. */
function expectPongs(
  controls: readonly { opcode: number; payload: Buffer }[],
  pinged: readonly string[],
): void {
  const pongs = controls
    .filter(({ opcode }) => opcode === 10)
    .map(({ payload }) => payload.toString('latin1'));
  expect(pongs.at(-1)).toBe(pinged.at(-1));
  let at = 0;
  for (const pong of pongs) {
    at = pinged.indexOf(pong, at) + 1;
    expect(at).toBeGreaterThan(0);
  }
  expect(controls.filter(({ opcode }) => opcode === 9)).toEqual([]);
}

function readableOf(expected: string | Buffer): string {
  return typeof expected === 'string'
    ? readable({ isBinary: false, payload: Buffer.from(expected) })
    : readable({ isBinary: true, payload: expected });
}

function readable({ isBinary, payload }: { isBinary: boolean; payload: Buffer }): string {
  return `${isBinary ? 'binary' : 'text'} of ${payload.length} bytes: ${payload.toString('latin1')}`;
}
