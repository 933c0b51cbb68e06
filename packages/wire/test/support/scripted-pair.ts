import { splice, WireSocket } from '../../src/index.ts';
import type { BudgetOwner } from '../../src/index.ts';
import { clientFrame } from './client-frames.ts';
import type { ClientFrame } from './client-frames.ts';
import { scriptedConnection } from './connection.ts';
import { decodeStream } from './naive-decoder.ts';
import type { DecodedStream } from './naive-decoder.ts';
import { ScriptedSocket } from './scripted-socket.ts';
import { Recorder } from './test-context.ts';
import type { TestContext } from './test-context.ts';

/** Lets streams deliver what they put off: data after a resume, ends and closes. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** One peer as the test plays it, with the server's end of its WebSocket. */
export class Leg {
  readonly peer: ScriptedSocket = new ScriptedSocket();
  readonly heard: Recorder = new Recorder();
  readonly wire: WireSocket;
  readonly owner: BudgetOwner;

  constructor(test: TestContext, owner: BudgetOwner = test.context.budget.createOwner()) {
    this.owner = owner;
    const connection = scriptedConnection(this.peer, test);
    this.wire = new WireSocket(connection, test.context, { owner, listener: this.heard });
  }

  /** The peer sends frames, all in one chunk. */
  send(...frames: ClientFrame[]): void {
    this.peer.receive(Buffer.concat(frames.map(clientFrame)));
  }

  /** The kernel takes nothing from now on, unless the peer takes it. */
  block(): void {
    this.peer.roomBytes = 0;
  }

  /** What the peer has taken, behind the answer to the handshake. */
  received(): DecodedStream {
    const bytes = this.peer.takenBytes;
    const start = bytes.indexOf('\r\n\r\n') + 4;
    if (start < 4) throw new Error('the handshake has no answer');
    return decodeStream(bytes.subarray(start), { masked: false, shortestLengths: true });
  }

  /** Messages the peer has taken, as text. */
  texts(): string[] {
    return this.received().messages.map(({ payload }) => payload.toString());
  }

  /** Payloads of the pongs the peer has taken. */
  pongs(): string[] {
    return this.received()
      .controls.filter(({ opcode }) => opcode === 10)
      .map(({ payload }) => payload.toString());
  }

  /** How many pings the peer has taken. */
  pings(): number {
    return this.received().controls.filter(({ opcode }) => opcode === 9).length;
  }
}

export interface ScriptedPair {
  readonly source: Leg;
  readonly target: Leg;
}

/** Two spliced sockets of one owner that are being read. */
export async function openScriptedPair(test: TestContext, owner?: BudgetOwner): Promise<ScriptedPair> {
  const source = new Leg(test, owner);
  const target = new Leg(test, source.owner);
  splice(source.wire, target.wire);
  source.wire.start(Buffer.alloc(0));
  target.wire.start(Buffer.alloc(0));
  await settle();
  return { source, target };
}

/** What an owner does about a pair: when one leg ends or stalls, the other is closed too. */
export function bindEnds(pair: ScriptedPair): void {
  const legs: [Leg, Leg][] = [
    [pair.source, pair.target],
    [pair.target, pair.source],
  ];
  for (const [leg, other] of legs) {
    leg.heard.afterEnd = (cause) =>
      other.wire.close(cause.kind === 'closed' ? 1000 : 1012, 'the other leg is gone');
    leg.heard.afterStall = () => {
      leg.wire.close(1012, 'stalled');
      other.wire.close(1012, 'the other leg stalled');
    };
  }
}
