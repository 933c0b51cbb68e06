import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { normaliseIp } from '@openchambery/daemon';
import type { Role } from '@openchambery/protocol';
import { createRelayParts, type RelayParts } from '../../src/create-relay-parts.ts';
import { Lifecycle } from '../../src/lifecycle.ts';
import type { RelayEventMap } from '../../src/observe/events.ts';
import type { RelayLimits } from '../../src/limits.ts';
import { resolveRelayOptions } from '../../src/options.ts';
import { handleUpgrade, type UpgradePath } from '../../src/upgrade/handle-upgrade.ts';
import type { RefusalReason } from '../../src/upgrade/refusal.ts';
import { REFUSAL_CODES } from '../../src/upgrade/refusal.ts';
import { GateModel } from './gate-model.ts';
import { IdSource } from './id-source.ts';
import { Leg, startClosing } from './leg.ts';
import { explainEnds } from './explain-ends.ts';
import { RelayModel } from './relay-model.ts';
import { ScriptedPeer, type Manners } from './scripted-peer.ts';
import type { SocketAudience, SocketOptions } from './scripted-socket.ts';
import { Stage } from './stage.ts';

/** An upgrade as a schedule asks for it. */
export interface WorldUpgrade {
  readonly role: Role;
  readonly host: number;
  readonly ip: string;
  readonly connectionId?: string | undefined;
  readonly flaw?: 'none' | 'malformed' | 'signature' | undefined;
  readonly socket: Omit<SocketOptions, 'remoteAddress'> & { readonly manners: Manners };
  /** What the peer sends behind the request, before it has an answer. */
  readonly prepare?: ((peer: ScriptedPeer) => void) | undefined;
}

/** 16 bytes in base64. */
const HEADERS = {
  host: 'relay.test',
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

/** A name that is canonical base64url of 32 bytes. */
export function serverIdOf(host: number): string {
  return createHash('sha256').update(`host ${host}`).digest('base64url');
}

/** A relay without a port, its peers, and the model that watches them. */
export class World {
  readonly stage: Stage = new Stage();
  readonly ids: IdSource = new IdSource();
  readonly limits: RelayLimits;
  readonly parts: RelayParts;
  readonly model: RelayModel;
  readonly gate: GateModel;
  readonly lifecycle: Lifecycle;
  readonly emitter: EventEmitter<RelayEventMap> = new EventEmitter();
  /** Every leg that ever was. */
  readonly legs: Leg[] = [];
  /** Every address that ever came, as it is counted. */
  readonly ips: Set<string> = new Set();
  /** Peers whose handshake was no WebSocket handshake. */
  readonly strangers: ScriptedPeer[] = [];
  /** Called after every input of the relay. */
  onStep: () => void = () => undefined;
  /** Whose TCP connection is ending in this very step. */
  goingLeg: Leg | undefined;
  /** The most bytes the relay has read at once. */
  largestReadBytes = 0;
  closing: { readonly startedAtMs: number; isOver: boolean } | undefined;
  readonly #legOf = new Map<ScriptedPeer, Leg>();
  #lastRefusal: RefusalReason | undefined;
  readonly #path: UpgradePath;

  constructor(limits: Partial<RelayLimits>) {
    const options = resolveRelayOptions({
      limits,
      clock: this.stage.clock,
      randomBytes: this.ids.randomBytes,
    });
    this.limits = options.limits;
    const parts = createRelayParts(options, { emitter: this.emitter, nextTurn: this.stage.nextTurn });
    const authenticator = {
      authenticate: ({ upgrade }: { upgrade: { sig: string } }) =>
        upgrade.sig === 'good' ? ({ ok: true } as const) : ({ ok: false, detail: 'auth: planned' } as const),
    };
    this.parts = { ...parts, gatekeeper: { ...parts.gatekeeper, authenticator } };
    const now = (): number => this.stage.now;
    this.model = new RelayModel(options.limits, now);
    this.gate = new GateModel(options.limits, now);
    this.emitter.on('upgradeRefused', ({ reason }) => (this.#lastRefusal = reason));
    const { context, gatekeeper, refused } = this.parts;
    this.lifecycle = new Lifecycle({
      context,
      listener: {
        listen: () => Promise.resolve(),
        handOver: () => Promise.resolve(),
        close: () => Promise.resolve(),
      },
      limiter: { destroyAll: () => this.#destroyAll() },
      refused,
      mounted: { mounts: [], onFault: (error) => this.stage.fail(String(error)) },
    });
    this.#path = {
      context,
      gatekeeper,
      refused,
      limiter: { replace: () => undefined },
      trustProxy: 'ignore',
      isDraining: () => this.lifecycle.state !== 'listening',
    };
  }

  /** Legs whose TCP connection stands. */
  get alive(): Leg[] {
    return this.legs.filter((leg) => !leg.isGone);
  }

  /** Accepted sockets that stand. */
  get accepted(): Leg[] {
    return this.alive.filter((leg) => leg.party.role !== 'refused');
  }

  /** Control connections in use. */
  get controls(): Leg[] {
    return this.accepted.filter((leg) => leg.isOpen && leg.party.role === 'host-control');
  }

  upgrade(upgrade: WorldUpgrade): Leg {
    const { role, flaw = 'none', connectionId } = upgrade;
    const serverId = serverIdOf(upgrade.host);
    const ip = normaliseIp(upgrade.ip) as string;
    const peer = this.#connect(`${role} ${this.legs.length}`, upgrade);
    upgrade.prepare?.(peer);
    const judged = { role, serverId, ip, connectionId, flaw, nextIds: this.ids.peek(4) };
    const expected = this.gate.judge(judged, this.model, this.accepted.length);
    this.#lastRefusal = undefined;
    const head = peer.takeHead();
    this.#handle(peer, targetOf({ role, serverId, connectionId, flaw }), head);
    if (this.#lastRefusal !== expected) {
      this.stage.fail(
        `${peer.name}: expected ${expected ?? 'to attach'}, got ${this.#lastRefusal ?? 'attached'}`,
      );
    }
    const leg = this.#createLeg(peer, { role, ip, serverId, refusal: this.#lastRefusal });
    this.legs.push(leg);
    this.ips.add(ip);
    this.#legOf.set(peer, leg);
    this.#read(leg, head.length);
    this.#afterInput();
    return leg;
  }

  /** A request for an upgrade that lacks what RFC 6455 asks for. */
  badHandshake(upgrade: WorldUpgrade): void {
    const peer = this.#connect(`stranger ${this.strangers.length}`, upgrade);
    this.strangers.push(peer);
    const headers = { ...HEADERS, 'sec-websocket-version': '8' };
    const request = { method: 'GET', url: '/ws', headers, httpVersion: '1.1' } as unknown as IncomingMessage;
    this.stage.guard('handleUpgrade', () =>
      handleUpgrade({ request, socket: peer.socket.asSocket, head: peer.takeHead() }, this.#path),
    );
  }

  /** Starts the shutdown. */
  async close(): Promise<void> {
    if (this.closing !== undefined) return;
    const closing = { startedAtMs: this.stage.now, isOver: false };
    this.closing = closing;
    const isBusy = (leg: Leg | undefined): boolean => leg !== undefined && leg.waitingBytes > 0;
    const { connections } = this.model;
    const busy = connections.filter(({ client, data }) => isBusy(client) || isBusy(data));
    this.model.isDraining = true;
    this.lifecycle.close().then(
      () => (closing.isOver = true),
      (error: unknown) => this.stage.fail(`close() rejected: ${String(error)}`),
    );
    await turn();
    // Those for whom data waits close first; the others stay for as long as that takes.
    for (const connection of busy.length === 0 ? [] : connections) {
      const hasEnded = !connection.client.isOpen;
      if (hasEnded || connection.client.isRelayClosed === busy.includes(connection)) continue;
      this.stage.fail(
        `${connection.client.name}: shutdown takes it for ${busy.includes(connection) ? 'idle' : 'busy'}`,
      );
    }
    this.#afterInput();
  }

  /** Looks at what the relay did by itself: after timers and turns. */
  afterCallbacks(): void {
    this.#afterInput();
  }

  #connect(name: string, { ip, socket }: WorldUpgrade): ScriptedPeer {
    const audience: Pick<SocketAudience, 'onInput' | 'onThrow' | 'now'> = {
      onInput: (input, deliver) => {
        const leg = this.#legOf.get(peer);
        // The shutdown goes on between two inputs.
        explainEnds(this);
        if (leg !== undefined) this.#beforeInput(leg, input);
        this.goingLeg = input.kind === 'close' ? leg : undefined;
        this.stage.guard(`${name}: ${input.kind}`, deliver);
        this.goingLeg = undefined;
        this.#afterInput();
      },
      onThrow: (error) => this.stage.fail(`${name}: a write callback threw ${String(error)}`),
      now: () => this.stage.now,
    };
    const peer = new ScriptedPeer(name, { ...socket, remoteAddress: ip }, audience);
    return peer;
  }

  #handle(peer: ScriptedPeer, url: string, head: Buffer): void {
    const request = {
      method: 'GET',
      url,
      headers: HEADERS,
      httpVersion: '1.1',
    } as unknown as IncomingMessage;
    this.stage.guard('handleUpgrade', () =>
      handleUpgrade({ request, socket: peer.socket.asSocket, head }, this.#path),
    );
    peer.socket.showQueue();
  }

  #createLeg(
    peer: ScriptedPeer,
    party: { role: Role; ip: string; serverId: string; refusal: RefusalReason | undefined },
  ): Leg {
    const { role, ip, serverId, refusal } = party;
    const { now } = this.stage;
    if (refusal !== undefined) {
      const leg = new Leg(peer, { role: 'refused', ip, serverId }, { now });
      startClosing(leg, [REFUSAL_CODES[refusal]], now);
      return leg;
    }
    const relaySocket = this.parts.context.sockets.all().findLast((socket) => socket.party.role === role);
    const leg = new Leg(
      peer,
      { role, ip, serverId, connectionId: relaySocket?.party.connectionId },
      { now, relaySocket },
    );
    if (role === 'host-control') this.model.attachControl(leg);
    else if (role === 'client') this.model.attachClient(leg);
    else this.model.attachData(leg);
    return leg;
  }

  #beforeInput(leg: Leg, input: { readonly kind: 'data' | 'end' | 'close'; readonly bytes: number }): void {
    if (input.kind === 'data') return this.#read(leg, input.bytes);
    if (input.kind === 'end') return this.model.end(leg, { kind: 'lost' });
    if (leg.isOpen && !leg.peer.hasReset) this.stage.fail(`${leg.name}: destroyed while it was open`);
    this.model.end(leg, { kind: 'lost' });
    this.#checkGoing(leg);
    leg.state = { kind: 'gone' };
  }

  /** A socket may go when its peer did, or when it had time to. */
  #checkGoing(leg: Leg): void {
    if (leg.state.kind !== 'closing' || leg.peer.hasReset || leg.peer.hasSentFin) return;
    if (this.lifecycle.state === 'closed' || this.closing !== undefined) return;
    const waited = this.stage.now - leg.state.sinceMs;
    if (waited < this.limits.closeDeadlineMs)
      this.stage.fail(`${leg.name}: destroyed ${waited} ms after its close`);
  }

  #read(leg: Leg, bytes: number): void {
    if (bytes === 0) return;
    leg.heardAtMs = this.stage.now;
    leg.readBytes += bytes;
    this.largestReadBytes = Math.max(this.largestReadBytes, bytes);
    leg.chunks++;
    const { units } = leg.peer;
    while (!leg.isReaderDone && (units[leg.readUnits]?.endsAt ?? Number.POSITIVE_INFINITY) <= leg.readBytes) {
      const unit = units[leg.readUnits++];
      if (unit?.kind === 'message' && leg.isOpen) this.model.targetOf(leg)?.expected.push(unit.message);
      if (unit?.kind !== 'close' && unit?.kind !== 'fault') continue;
      leg.isReaderDone = true;
      this.model.end(leg, { kind: unit.kind === 'close' ? 'closed' : 'fault', code: unit.code });
    }
  }

  #afterInput(): void {
    explainEnds(this);
    this.onStep();
  }

  #destroyAll(): Promise<void> {
    for (const leg of this.alive) leg.peer.socket.destroy();
    for (const peer of this.strangers) peer.socket.destroy();
    return Promise.resolve();
  }
}

function targetOf(upgrade: {
  readonly role: Role;
  readonly serverId: string;
  readonly connectionId: string | undefined;
  readonly flaw: 'none' | 'malformed' | 'signature';
}): string {
  const { role, serverId, connectionId, flaw } = upgrade;
  const named = connectionId === undefined ? '' : `&connectionId=${connectionId}`;
  const proof = role === 'client' ? '' : `&ts=1&sig=${flaw === 'signature' ? 'bad' : 'good'}&pk=key`;
  return `/ws?v=${flaw === 'malformed' ? '2' : '1'}&role=${role}&serverId=${serverId}${named}${proof}`;
}
