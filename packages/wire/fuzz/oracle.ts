import { isUtf8 } from 'node:buffer';
import { decodeStream } from '../test/support/naive-decoder.ts';
import type { DecodedStream, Message, StreamEnding } from '../test/support/naive-decoder.ts';
import type { SidePlan, Step } from './plan.ts';
import { readWithLibrary } from './ws-receiver.ts';

/** What a side has said with the steps it did, as a server must understand it. */
export interface Said {
  readonly messages: readonly Message[];
  readonly pings: readonly string[];
  readonly ending: StreamEnding;
  /** Whether it ended TCP behind that, and how. */
  readonly left: 'no' | 'fin' | 'destroy';
}

/** Works out what a side has said; what the two oracles disagree about is reported. */
export async function interpret(
  side: SidePlan,
  done: readonly Step[],
  context: { readonly maxMessageBytes: number; readonly report: (what: string) => void },
): Promise<Said> {
  const left = done.some(({ kind }) => kind === 'destroy')
    ? 'destroy'
    : done.some(({ kind }) => kind === 'fin')
      ? 'fin'
      : 'no';
  if (side.kind === 'ws') return { ...interpretSends(done, context.maxMessageBytes), left };
  const stream = Buffer.concat(done.flatMap((step) => (step.kind === 'write' ? [step.bytes] : [])));
  const decoded = decodeStream(stream, { masked: true, maxMessageBytes: context.maxMessageBytes });
  const { messages, ending } = decoded;
  const pings = decoded.controls
    .filter(({ opcode }) => opcode === 9)
    .map(({ payload }) => payload.toString('latin1'));
  await compareWithLibrary(stream, decoded, context);
  return { messages, pings, ending, left };
}

/** What a client of the library says when it is told to send these. */
function interpretSends(done: readonly Step[], maxMessageBytes: number): Omit<Said, 'left'> {
  const messages: Message[] = [];
  const pings: string[] = [];
  let parts: Buffer[] = [];
  let isBinary = false;
  for (const step of done) {
    if (step.kind === 'ping') pings.push(step.data.toString('latin1'));
    if (step.kind === 'close') {
      return { messages, pings, ending: { kind: 'closed', code: step.code ?? 1005, reason: step.reason } };
    }
    if (step.kind !== 'send') continue;
    if (parts.length === 0) isBinary = step.isBinary;
    parts.push(step.data);
    const payload = Buffer.concat(parts);
    if (payload.length > maxMessageBytes) {
      return { messages, pings, ending: { kind: 'fault', code: 1009, why: 'the message is too big' } };
    }
    if (!step.fin) continue;
    messages.push({ isBinary, payload });
    parts = [];
  }
  return { messages, pings, ending: { kind: 'open' } };
}

async function compareWithLibrary(
  stream: Buffer,
  naive: DecodedStream,
  context: { readonly maxMessageBytes: number; readonly report: (what: string) => void },
): Promise<void> {
  const messages: Message[] = [];
  let ending = 'open';
  await readWithLibrary(stream, context.maxMessageBytes, {
    onMessage: (payload, isBinary) => messages.push({ isBinary, payload }),
    onConclude: (code, reason) =>
      (ending = isUtf8(reason) ? `closed ${code} ${reason.toString()}` : 'fault 1007'),
    onError: ({ code }) =>
      (ending = `fault ${code?.endsWith('_LENGTH') === true && isSize(code) ? 1009 : 1002}`),
  });
  const difference = findDifference(messages, naive.messages);
  if (difference !== undefined) context.report(`the oracles disagree: ${difference}`);
  if (ending !== describeEnding(naive.ending) && !isKnownDifference(ending, naive, stream)) {
    context.report(`the oracles disagree: ${ending} by ws, ${describeEnding(naive.ending)} by the RFC`);
  }
}

function isSize(code: string): boolean {
  return code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' || code === 'WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH';
}

function describeEnding(ending: StreamEnding): string {
  if (ending.kind === 'closed') return `closed ${ending.code} ${ending.reason}`;
  return ending.kind === 'fault' ? `fault ${ending.code}` : 'open';
}

/**
 * The library takes a length with its top bit set for too big, where RFC 6455 §5.2 forbids it. It judges a length
 * before the masking key is there, and a close frame of one byte before that byte is.
 */
function isKnownDifference(byLibrary: string, naive: DecodedStream, stream: Buffer): boolean {
  const { ending, restBytes } = naive;
  if (byLibrary === 'fault 1009') {
    return ending.kind === 'open' || (ending.kind === 'fault' && ending.why.includes('top bit'));
  }
  const rest = stream.subarray(stream.length - restBytes);
  return byLibrary === 'fault 1002' && ending.kind === 'open' && rest[0] === 0x88 && rest[1] === 0x81;
}

/** What first differs between what came and what should have come. */
export function findDifference(come: readonly Message[], due: readonly Message[]): string | undefined {
  const wrong = findWrongMessage(come, due);
  if (wrong !== undefined) return wrong;
  return come.length < due.length ? `${come.length} messages of ${due.length}` : undefined;
}

/** What first differs where less may have come than should have. */
export function findWrongMessage(come: readonly Message[], due: readonly Message[]): string | undefined {
  for (const [index, message] of come.entries()) {
    const expected = due[index];
    if (expected === undefined) return `${come.length} messages, not ${due.length}`;
    const isSame = message.isBinary === expected.isBinary && message.payload.equals(expected.payload);
    if (!isSame) return `message ${index} is ${describe(message)}, not ${describe(expected)}`;
  }
  return undefined;
}

function describe({ isBinary, payload }: Message): string {
  const start = payload.subarray(0, 24).toString('hex');
  return `${isBinary ? 'binary' : 'text'} of ${payload.length} bytes (${start}…)`;
}
