import type { Role } from '@openchambery/protocol';
import type { RelaySocket } from '../../src/connection/relay-socket.ts';
import type { Message } from './frame-log.ts';
import type { ScriptedPeer } from './scripted-peer.ts';

/**
 * What the model knows of a socket:
 * - open: data flows.
 * - closing: it hears one of `codes`, or no close frame at all when there are none.
 * - gone: TCP is closed.
 */
export type LegState =
  | { readonly kind: 'open' }
  | { readonly kind: 'closing'; readonly sinceMs: number; readonly codes: readonly number[] }
  | { readonly kind: 'gone' };

export interface LegParty {
  readonly role: Role | 'refused';
  readonly ip: string;
  readonly serverId: string;
  readonly connectionId?: string | undefined;
}

/** One socket of the relay as the model sees it. */
export class Leg {
  readonly peer: ScriptedPeer;
  readonly party: LegParty;
  /** The relay's end; a refused upgrade has none. */
  readonly relaySocket: RelaySocket | undefined;
  readonly openedAtMs: number;
  state: LegState = { kind: 'open' };
  /** The codes of `closing`, also when it is gone. */
  endCodes: readonly number[] = [];
  /** What this peer must get, in order. */
  readonly expected: Message[] = [];
  /** How many of `expected` there were when nothing waited for the last time. */
  expectedWhenIdle = 0;
  /** Units of the peer that the relay has read. */
  readUnits = 0;
  readBytes = 0;
  chunks = 0;
  /** The relay reads no further: the peer closed or broke the protocol. */
  isReaderDone = false;
  heardAtMs: number;
  /** When the relay was last seen not to read this peer, in ms. */
  pausedAtMs: number;
  /** How many of `expected` were seen to have come. */
  verified = 0;

  constructor(
    peer: ScriptedPeer,
    party: LegParty,
    at: { readonly now: number; readonly relaySocket?: RelaySocket | undefined },
  ) {
    this.peer = peer;
    this.party = party;
    this.relaySocket = at.relaySocket;
    this.openedAtMs = at.now;
    this.heardAtMs = at.now;
    this.pausedAtMs = Number.NEGATIVE_INFINITY;
  }

  get isOpen(): boolean {
    return this.state.kind === 'open';
  }

  get isGone(): boolean {
    return this.state.kind === 'gone';
  }

  get isRelayClosed(): boolean {
    return this.relaySocket?.wire.isOpen !== true;
  }

  get waitingBytes(): number {
    return this.relaySocket?.wire.waitingBytes ?? 0;
  }

  /** The peer's last sign of life that the relay must count, in ms. */
  get lastSignMs(): number {
    return Math.max(this.heardAtMs, this.pausedAtMs, this.peer.socket.lastTakenAtMs);
  }

  /** As `lastSignMs`, with what the relay may count: the kernel took a part of what then had to wait. */
  get lastPossibleSignMs(): number {
    return Math.max(this.lastSignMs, this.peer.socket.blockedAtMs);
  }

  get name(): string {
    return this.peer.name;
  }
}

/** Leaves `open`; later reasons change nothing. */
export function startClosing(leg: Leg, codes: readonly number[], sinceMs: number): void {
  if (leg.state.kind !== 'open') return;
  leg.state = { kind: 'closing', sinceMs, codes };
  leg.endCodes = codes;
}
