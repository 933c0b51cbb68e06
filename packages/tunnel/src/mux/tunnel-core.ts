import type { ChannelEnd, ChannelListener, SecureChannel } from '../channel/secure-channel.ts';
import type { TransportEnd } from '../channel/transport.ts';
import { type Clock, systemClock } from '../clock.ts';
import { FRAME_TYPE } from '../frame/frame-type.ts';
import { unpackPlaintext } from '../frame/plaintext.ts';
import type { TunnelFrame } from '../frame/tunnel-frame.ts';
import { ControlLanes } from './control-lanes.ts';
import { isBadFragment, isKeepalive, isKnown, isOpening } from './frame-rules.ts';
import { Keepalive, type TunnelRole } from './keepalive.ts';
import { Outbox } from './outbox/outbox.ts';
import { PartialMessages } from './partial-messages.ts';
import { Probes } from './probes.ts';
import { ReadingGate } from './reading-gate.ts';
import type { MuxStream, StreamContext } from './stream-context.ts';
import { StreamError } from './stream-error.ts';
import type { TunnelTraffic } from './streams.ts';
import { defaultTunnelLimits, type TunnelLimits } from './tunnel-limits.ts';
import type { TunnelListener, TunnelOptions } from './tunnel-options.ts';

/** What the two ends do differently. */
export interface TunnelSide extends TunnelListener {
  readonly role: TunnelRole;
  /** A frame of a known type came for a stream that is not open. */
  onStrayFrame(frame: TunnelFrame): void;
}

type CoreState =
  | { readonly name: 'opening' }
  | { readonly name: 'open'; readonly isBatching: boolean }
  /** All streams are broken, by `error`; the channel may still have to say that it ended. */
  | { readonly name: 'ended'; readonly error: StreamError };

/** What both ends of a tunnel have: the channel, the streams that are open, and what they share. */
export class TunnelCore implements StreamContext {
  readonly limits: TunnelLimits;
  readonly outbox: Outbox;
  readonly gate: ReadingGate;
  readonly partialMessages: PartialMessages;
  readonly #clock: Clock;
  readonly #side: TunnelSide;
  readonly #reportBug: (error: unknown) => void;
  readonly #streams = new Map<number, MuxStream>();
  readonly #control: ControlLanes;
  readonly #keepalive: Keepalive;
  readonly #probes: Probes;
  readonly #channel: SecureChannel;
  #state: CoreState = { name: 'opening' };
  #receivedBytes = 0;
  #lastDrainAt = Number.NEGATIVE_INFINITY;

  constructor(options: TunnelOptions, side: TunnelSide) {
    const clock = options.clock ?? systemClock;
    const limits = { ...defaultTunnelLimits, ...options.limits };
    this.limits = limits;
    this.#clock = clock;
    this.#side = side;
    this.#reportBug = options.reportBug ?? throwUncaught;
    this.outbox = new Outbox({ clock, limits });
    this.gate = new ReadingGate(this.#gatedChannel(), { clock, limits });
    this.partialMessages = new PartialMessages(limits.maxPartialMessageBytes);
    this.#control = new ControlLanes(this.outbox);
    this.#probes = new Probes(clock);
    this.#keepalive = new Keepalive(side.role, {
      clock,
      isDeaf: () => this.gate.isShut,
      lastSentAt: () => Math.max(this.outbox.lastSentAt, this.#lastDrainAt),
      ping: () => this.#control.ping(),
      onSilent: () => this.close({ code: 1001, reason: 'no sign of life' }, 'silent'),
    });
    this.#channel = options.openChannel(this.#channelListener());
  }

  get traffic(): TunnelTraffic {
    return {
      sentBytes: this.outbox.sentBytes,
      receivedBytes: this.#receivedBytes,
      openStreams: this.#streams.size,
    };
  }

  /** Whether there are as many streams as may be, with those that are over and still have something to send. */
  get isCrowded(): boolean {
    return this.#streams.size + this.outbox.load.finishedLanes >= this.limits.maxStreams;
  }

  /** A new stream is open. If the tunnel has ended, it breaks at once. */
  add(streamId: number, stream: MuxStream): void {
    if (this.#state.name === 'ended') stream.break(this.#state.error);
    else this.#streams.set(streamId, stream);
  }

  forget(streamId: number): void {
    this.#streams.delete(streamId);
  }

  sendAbort(streamId: number, reason: string): void {
    if (this.#control.waitingAborts < this.limits.maxControlFrames) this.#control.abort(streamId, reason);
    else this.close({ code: 1011, reason: 'too many broken streams' }, 'fault');
  }

  attempt(act: () => void): boolean {
    try {
      act();
      return true;
    } catch (error) {
      this.#reportBug(error);
      return false;
    }
  }

  /** Asks for a sign of life; silence proves nothing while this end does not read. */
  probe(timeoutMs: number): Promise<boolean> {
    if (this.#state.name === 'ended') return Promise.resolve(false);
    this.#control.ping();
    return this.#probes.ask(timeoutMs, () => this.gate.isShut);
  }

  /** Ends everything: streams now, the channel as soon as it can. */
  close(end: TransportEnd, cause: 'local' | 'silent' | 'fault' = 'local'): void {
    if (this.#state.name === 'ended') return;
    this.#end({ ...end, cause });
    this.#channel.close(end, cause);
  }

  #gatedChannel(): { pauseReading(): void; resumeReading(): void } {
    return {
      pauseReading: () => {
        if (this.#state.name === 'open') this.#channel.pauseReading();
      },
      resumeReading: () => {
        if (this.#state.name !== 'open') return;
        this.#keepalive.heard();
        this.#channel.resumeReading();
      },
    };
  }

  #channelListener(): ChannelListener {
    return {
      onEstablished: ({ isBatching }) => this.#onEstablished(isBatching),
      onPlaintext: (plaintext) => this.#onPlaintext(plaintext),
      onDrain: () => {
        this.#lastDrainAt = this.#clock.monotonicMs();
        // The little that had room proves nothing: the system takes it even if nobody is at the other end.
        if (this.outbox.pumpAfterDrain()) this.#keepalive.progressed();
      },
      onClose: (end) => {
        this.#end(end);
        this.attempt(() => this.#side.onClose(end));
      },
    };
  }

  #onEstablished(isBatching: boolean): void {
    if (this.#state.name !== 'opening') return;
    this.#state = { name: 'open', isBatching };
    this.#keepalive.start();
    this.outbox.open(this.#channel, { isBatching });
    this.attempt(() => this.#side.onOpen());
  }

  #onPlaintext(plaintext: Uint8Array): void {
    const state = this.#state;
    if (state.name !== 'open') return;
    const frames = unpackPlaintext(plaintext, state);
    if (frames === undefined) return this.close({ code: 1011, reason: 'malformed plaintext' }, 'fault');
    this.#keepalive.heard();
    this.#probes.settle(true);
    for (const frame of frames) {
      this.#receivedBytes += frame.payload.length;
      this.#onFrame(frame);
      // What one frame led to may have ended the tunnel.
      if (this.#state !== state) return;
    }
  }

  #onFrame(frame: TunnelFrame): void {
    if (!isKnown(frame)) return;
    if (isKeepalive(frame)) {
      if (frame.type === FRAME_TYPE.ping) this.#control.pong();
      return;
    }
    const stream = this.#streams.get(frame.streamId);
    if (stream === undefined) this.#side.onStrayFrame(frame);
    else if (isOpening(frame)) stream.violate('duplicate stream id');
    else if (isBadFragment(frame)) stream.violate(`fragment of type ${frame.type}`);
    else stream.receive(frame);
  }

  /** Breaks everything that is open. */
  #end(end: ChannelEnd): void {
    if (this.#state.name === 'ended') return;
    const reason = end.reason === '' ? `code ${end.code}` : end.reason;
    const error = new StreamError('ERR_TUNNEL_CLOSED', reason, { cause: end });
    this.#state = { name: 'ended', error };
    this.#keepalive.stop();
    this.gate.close();
    this.outbox.close();
    this.#probes.settle(false);
    for (const stream of this.#streams.values()) stream.break(error);
  }
}

/** A bug must not be swallowed, and must not break the loop that found it. */
function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
