import type { Socket } from 'node:net';
import type { BudgetOwner } from './byte-budget.ts';
import type { Timer } from './clock.ts';
import { encodeCloseFrame, type CloseStatus } from './close-frame.ts';
import { encodeFrame } from './frame-header.ts';
import { FrameReader, type FrameFault, type FrameSink } from './frame-reader.ts';
import { switchingProtocols } from './handshake.ts';
import { HeldMessages } from './held-messages.ts';
import { LifeSigns } from './life-signs.ts';
import { OPCODE } from './opcode.ts';
import { Outlet, type OutletListener } from './outlet.ts';
import { ReadGate } from './read-gate.ts';
import type { Transport, TransportPeer } from './transport.ts';
import type { WireContext } from './wire-context.ts';
import type { EndCause, WireConnection, WireListener, WireState } from './wire-listener.ts';

const PING = encodeFrame(OPCODE.ping, Buffer.alloc(0));

/** The server's end of one WebSocket: frames in, frames out, and the way it ends. */
export class WireSocket implements FrameSink, OutletListener, TransportPeer {
  /** Bytes received since the handshake. */
  receivedBytes = 0;
  readonly #transport: Transport;
  readonly #socket: Socket;
  readonly #context: WireContext;
  readonly #listener: WireListener;
  readonly #owner: BudgetOwner;
  readonly #reader: FrameReader;
  readonly #outlet: Outlet;
  readonly #gate: ReadGate;
  #state: WireState = 'open';
  /** Where the peer's messages go, unless they are held for a target to come or of no interest. */
  #target: WireSocket | undefined;
  /** The socket whose messages come out here. */
  #source: WireSocket | undefined;
  #held: HeldMessages | undefined;
  #waitingPong: Buffer | undefined;
  #deadline: Timer | undefined;
  readonly #life: LifeSigns = new LifeSigns();

  /** Answers the handshake. Nothing is read before `start`, so that the owner can first find its place. */
  constructor(
    connection: WireConnection,
    context: WireContext,
    party: { owner: BudgetOwner; listener: WireListener },
  ) {
    this.#transport = connection.transport;
    this.#socket = connection.transport.socket;
    this.#context = context;
    this.#listener = party.listener;
    this.#owner = party.owner;
    this.#reader = new FrameReader(context, this);
    this.#outlet = new Outlet(this.#socket, context, { owner: party.owner, listener: this });
    this.#gate = new ReadGate(this.#socket, context);
    connection.transport.attach(this);
    this.#outlet.send(Buffer.from(switchingProtocols(connection.key), 'latin1'));
  }

  /** Whether data flows: nobody has closed yet. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Bytes the kernel has taken for the peer, with the handshake's answer. */
  get sentBytes(): number {
    return this.#outlet.sentBytes;
  }

  /** Bytes that wait for the peer. */
  get waitingBytes(): number {
    return this.#outlet.waitingBytes;
  }

  /** Starts to read, beginning with what came behind the request. */
  start(head: Buffer): void {
    if (head.length > 0) this.onBytes(head);
    this.#transport.startReading();
    if (this.#gate.isShut) this.#socket.pause();
  }

  /** Keeps the peer's messages, up to the high-water mark, until `sendTo` names a target. */
  hold(): void {
    this.#held = new HeldMessages(this.#context.blocks, this.#owner);
  }

  /** Sends the peer's messages on to `target` from now on, those that were held first. */
  sendTo(target: WireSocket): void {
    this.#target = target;
    target.#source = this;
    if (this.#held === undefined) return;
    target.#outlet.sendAll(this.#held.release());
    this.#held = undefined;
    if (target.#outlet.mayResume) this.#gate.reopen();
  }

  /** Sends one text message; ignored once the socket is closing. */
  sendText(text: string): void {
    this.#outlet.send(encodeFrame(OPCODE.text, Buffer.from(text, 'utf8')));
  }

  /**
   * Looks for a sign of life since the last probe, and sends a ping unless data waits already. A socket that is
   * closing has its own deadline.
   */
  probe(): 'alive' | 'silent' {
    if (this.#state !== 'open') return 'alive';
    if (!this.#life.isProven(this.#outlet, this.#gate, this.#context.clock.monotonicMs())) return 'silent';
    if (this.#outlet.waitingBytes === 0) this.#outlet.send(PING);
    return 'alive';
  }

  /** Closes with a handshake; what waits for the peer is sent first. The listener only hears `onGone`. */
  close(code: number, reason: string): void {
    if (this.#state !== 'open') return;
    this.#stopForwarding('flushing');
    this.#outlet.finish(encodeCloseFrame(code, reason));
  }

  /** Ends the TCP connection at once. */
  terminate(): void {
    this.#socket.destroy();
  }

  /** @internal TransportPeer */
  onBytes(bytes: Buffer): void {
    this.receivedBytes += bytes.length;
    this.#life.hear();
    const frames = this.#reader.read(bytes);
    this.#gate.count(bytes.length, frames);
  }

  /** @internal TransportPeer: without a close frame the peer is lost. */
  onFinish(): void {
    this.#onPeerDone({ kind: 'lost' });
  }

  /** @internal TransportPeer: the connection is gone. */
  onGone(): void {
    const before = this.#state;
    this.#state = 'gone';
    this.#reader.stop();
    this.#outlet.drop();
    this.#held?.release().clear();
    this.#held = undefined;
    this.#gate.reopen();
    this.#deadline?.cancel();
    this.#target = undefined;
    this.#source = undefined;
    if (before === 'open') this.#listener.onEnd({ kind: 'lost' });
    this.#listener.onGone();
  }

  /** @internal FrameSink: messages of the peer. */
  onFrames(frames: Buffer): void {
    if (this.#state !== 'open') return;
    if (this.#held !== undefined) {
      this.#held.keep(frames);
      if (!this.#held.mayGrow(this.#context.limits.highWaterBytes)) this.#gate.shut();
      return;
    }
    if (this.#target === undefined) return;
    const outlet = this.#target.#outlet;
    outlet.send(frames);
    if (!outlet.mayGrow) this.#gate.shut();
  }

  /** @internal FrameSink: answered at once or, while data waits, by one pong for all pings so far. */
  onPing(payload: Buffer): void {
    if (this.#state !== 'open') return;
    if (this.#outlet.waitingBytes > 0) this.#waitingPong = payload;
    else this.#outlet.send(encodeFrame(OPCODE.pong, payload));
  }

  /** @internal FrameSink: the peer's close frame; it is echoed (RFC 6455 §5.5.1). */
  onClose(status: CloseStatus): void {
    this.#onPeerDone({ kind: 'closed', code: status.code, reason: status.reason });
  }

  /** @internal FrameSink: the peer broke the protocol. */
  onFault(fault: FrameFault): void {
    this.#onPeerDone({ kind: 'fault', code: fault.code, reason: fault.reason });
  }

  /** @internal OutletListener: the peer took something. */
  onRelief(): void {
    if (this.#source !== undefined && this.#outlet.mayResume) this.#source.#gate.reopen();
    const pong = this.#waitingPong;
    this.#waitingPong = undefined;
    // Not only once nothing waits: a source that keeps the queue filled would put the answer off for ever.
    if (pong !== undefined) this.#outlet.send(encodeFrame(OPCODE.pong, pong));
    if (this.#outlet.waitingBytes === 0) this.#listener.onDrain();
  }

  /** @internal OutletListener: the peer took our close frame. */
  onFinished(): void {
    if (this.#state === 'flushing') {
      this.#state = 'awaiting';
      this.#armDeadline();
    } else if (this.#state === 'answering') {
      this.#endTcp();
    }
  }

  /** @internal OutletListener */
  onStall(): void {
    if (this.#state === 'open') this.#listener.onStall();
  }

  /** The one place where the peer's end moves the state. */
  #onPeerDone(cause: EndCause): void {
    const before = this.#state;
    if (before === 'flushing') {
      this.#state = 'answering';
    } else if (before === 'awaiting') {
      this.#endTcp();
    } else if (before === 'open') {
      if (cause.kind === 'lost') {
        this.#stopForwarding('ending');
        this.#outlet.drop();
        this.#socket.end();
      } else {
        this.#stopForwarding('answering');
        this.#outlet.finish(encodeCloseFrame(cause.code, cause.kind === 'fault' ? cause.reason : ''));
      }
      this.#listener.onEnd(cause);
    }
  }

  /** Leaves `open`: nothing is passed on or kept any more; the peer is read only to see how it ends. */
  #stopForwarding(next: 'flushing' | 'answering' | 'ending'): void {
    this.#state = next;
    this.#target = undefined;
    this.#waitingPong = undefined;
    this.#held?.release().clear();
    this.#held = undefined;
    this.#armDeadline();
    this.#gate.reopen();
  }

  #endTcp(): void {
    this.#state = 'ending';
    this.#socket.end();
  }

  #armDeadline(): void {
    this.#deadline?.cancel();
    const { clock, limits } = this.#context;
    this.#deadline = clock.setTimer(() => this.#socket.destroy(), limits.closeDeadlineMs);
  }
}
