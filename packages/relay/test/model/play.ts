import { checkEnd, checkStep } from './invariants.ts';
import type { Leg } from './leg.ts';
import type { Schedule, ScheduledEvent } from './schedule.ts';
import { FAULT_KINDS, type ScriptedPeer } from './scripted-peer.ts';
import { passTo, settle } from './settle.ts';
import { watchEvents } from './watch-events.ts';
import { serverIdOf, World, type WorldUpgrade } from './world.ts';

/** Three addresses that count as two: the last ones share a /64. */
const IPS = ['10.0.0.1', '::ffff:10.0.0.1', '2001:db8::1', '2001:db8::2'];
const HOSTS = 3;
const CLOSE_CODES = [1000, 1001, 1005, 3000, 4999];
const TRACED = 60;
/** More than one read of a socket takes, and what fills more than half of one. In bytes. */
const LARGE = [70_000, 40_000];

/** Plays one schedule; throws an error that tells what broke, and what had happened. */
export async function play(schedule: Schedule): Promise<World> {
  const player = new Player(schedule);
  await player.run();
  return player.world;
}

class Player {
  readonly world: World;
  readonly #schedule: Schedule;
  readonly #trace: string[] = [];
  readonly #checkEvents: () => void;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
    this.world = new World(schedule.limits);
    this.world.onStep = () => checkStep(this.world);
    this.#checkEvents = watchEvents(this.world);
  }

  async run(): Promise<void> {
    await this.world.lifecycle.start('127.0.0.1', 0);
    await this.#prelude();
    for (const event of this.#schedule.events) {
      if (this.world.closing?.isOver === true) break;
      await this.#happen(event);
      if (event.settles) await settle(this.world);
      this.#throwFailure();
    }
    await this.#end();
  }

  /** The first pairs, as far as the limits allow. */
  async #prelude(): Promise<void> {
    const { pairs, ending } = this.#schedule;
    for (let pair = 0; pair < pairs; pair++) {
      if (pair < 2) this.#hostConnects(pair, ending + 7 * pair);
      this.#clientConnects(10 * pair + 1 + (pair % 2), ending + 11 * pair);
      this.#dataAttaches(0, ending + 13 * pair);
    }
    await settle(this.world);
    this.#throwFailure();
  }

  async #happen(event: ScheduledEvent): Promise<void> {
    const { who, how } = event;
    switch (event.kind) {
      case 'nothing':
        return;
      case 'hostConnects':
        return this.#hostConnects(who, how);
      case 'clientConnects':
        return this.#clientConnects(who, how);
      case 'dataAttaches':
        return this.#dataAttaches(who, how);
      case 'dataAttachesWrongly':
        return this.#dataAttachesWrongly(who, how);
      case 'badUpgrade':
        return this.#badUpgrade(who, how);
      case 'idsCollide':
        return this.world.ids.repeat(1 + (how % 3));
      case 'timePasses':
        return this.#passTo(this.world.stage.now + (how % 6) * 10);
      case 'longTimePasses':
        return this.#passTo(this.world.stage.now + (how % 12) * 50);
      case 'timerFires':
        return this.#passTo(this.world.stage.nextDueMs ?? this.world.stage.now);
      case 'serverCloses':
        this.#note('the server closes');
        return this.world.close();
      default:
        return this.#peerActs(event);
    }
  }

  #hostConnects(who: number, how: number): void {
    this.#upgrade({ role: 'host-control', host: who % HOSTS, ...this.#circumstances(how) });
  }

  #clientConnects(who: number, how: number): void {
    // Mostly a Host that is there.
    const hosts = [...this.world.model.hosts.keys()];
    const host = who % 10 === 0 ? undefined : hosts[who % Math.max(1, hosts.length)];
    const number = host === undefined ? who % HOSTS : hostNumber(host);
    this.#upgrade({ role: 'client', host: number, ...this.#circumstances(how) });
  }

  #dataAttaches(who: number, how: number): void {
    const { pending } = this.world.model;
    const connection = pending[who % Math.max(1, pending.length)];
    if (connection === undefined) return;
    this.#attach(hostNumber(connection.host.serverId), connection.id, how);
  }

  /** An id nobody has, one that is attached, one of another Host, one that was there a moment ago. */
  #dataAttachesWrongly(who: number, how: number): void {
    const { connections } = this.world.model;
    const connection = connections[who % Math.max(1, connections.length)];
    const clients = this.world.legs.filter((leg) => leg.party.role === 'client');
    const latest = clients.findLast((leg) => leg.state.kind !== 'open') ?? clients.at(-1);
    const unknown = Buffer.alloc(16, who).toString('base64url');
    if (how % 4 === 0 || connection === undefined) return this.#attach(who % HOSTS, unknown, how);
    if (how % 4 === 1) return this.#attach(hostNumber(connection.host.serverId), connection.id, how);
    if (how % 4 === 2) return this.#attach(hostNumber(connection.host.serverId) + 1, connection.id, how);
    this.#attach(who % HOSTS, latest?.party.connectionId ?? unknown, how);
  }

  #attach(host: number, connectionId: string, how: number): void {
    this.#upgrade({ role: 'host-data', host: host % HOSTS, connectionId, ...this.#circumstances(how) });
  }

  #badUpgrade(who: number, how: number): void {
    const roles = ['host-control', 'host-data', 'client'] as const;
    const role = roles[who % 3] ?? 'client';
    const upgrade: WorldUpgrade = {
      role,
      host: how % HOSTS,
      ...this.#circumstances(how),
      ...(role === 'host-data' ? { connectionId: Buffer.alloc(16, 1).toString('base64url') } : {}),
      flaw: how % 2 === 0 || role === 'client' ? 'malformed' : 'signature',
    };
    if (how % 5 > 0) return this.#upgrade(upgrade);
    this.#note('a bad handshake');
    this.world.badHandshake({ ...upgrade, socket: { ...upgrade.socket, kernelBytes: 1000 } });
  }

  #circumstances(how: number): Pick<WorldUpgrade, 'ip' | 'socket' | 'prepare'> {
    const bits = (how * 2_654_435_761) >>> 0;
    const pick = <T>(values: readonly T[], shift: number): T => values[(bits >>> shift) % values.length] as T;
    return {
      ip: IPS[how % IPS.length] as string,
      socket: {
        kernelBytes: pick([1000, 300, 64, 0], 3),
        readAheadBytes: pick([65_536, 65_536, 200], 7),
        chunkBytes: pick([65_536, 65_536, 65_536, 100, 7, 1], 11),
        tellsQueue: pick([true, false], 15),
        manners: { answersCloses: pick([true, true, true, true, false], 17) },
      },
      prepare: pick([undefined, undefined, undefined, PREPARATIONS[(bits >>> 23) % PREPARATIONS.length]], 20),
    };
  }

  #upgrade(upgrade: WorldUpgrade): void {
    const leg = this.world.upgrade(upgrade);
    this.#note(
      `${leg.name} comes for Host ${upgrade.host}: ${leg.party.role} ${leg.party.connectionId ?? ''}`,
    );
    leg.peer.socket.deliver();
  }

  #peerActs({ kind, who, how }: ScheduledEvent): void {
    const legs = this.#whoCan(kind);
    const leg = legs[who % Math.max(1, legs.length)];
    if (leg === undefined) return;
    const { peer } = leg;
    this.#note(`${leg.name} ${kind} ${how}`);
    switch (kind) {
      case 'stalls':
      case 'controlStalls':
        return peer.socket.setReading(false);
      case 'resumes':
        return peer.socket.setReading(true);
      case 'sips':
      case 'controlSips':
        return peer.socket.sip();
      case 'fallsSilent':
        peer.answersPings = false;
        return;
      case 'speaksAgain':
        peer.answersPings = true;
        return;
      case 'resets':
        return peer.reset();
      case 'halfCloses':
        return this.#deliver(leg, () => peer.halfClose());
      default:
        if (peer.maySend) this.#deliver(leg, () => this.#send(peer, kind, how));
    }
  }

  #whoCan(kind: ScheduledEvent['kind']): readonly Leg[] {
    const { controls, alive } = this.world;
    if (kind === 'controlStalls' || kind === 'controlSips') return controls;
    if (kind === 'resumes') return alive.filter(({ peer }) => !peer.socket.isFarReading);
    if (kind === 'sips') return alive.filter(({ waitingBytes }) => waitingBytes > 0);
    return alive;
  }

  #send(peer: ScriptedPeer, kind: ScheduledEvent['kind'], how: number): void {
    const { maxFrameBytes } = this.world.limits;
    // A peer whose bytes come one by one sends little.
    const most = Math.min(maxFrameBytes, 40 * peer.chunkBytes);
    const isBinary = how % 2 === 0;
    const fragments = 1 + (how % 3);
    if (kind === 'sends') peer.sendMessage(Math.min(most, (how % 7) * 40), { isBinary, fragments });
    else if (kind === 'sendsMuch') {
      const length = Math.min(most, LARGE[how % 8] ?? how % 2000);
      for (let count = 0; count <= how % 4; count++) peer.sendMessage(length, { isBinary });
    } else if (kind === 'pings') peer.sendPing();
    else if (kind === 'closes') peer.sendClose(CLOSE_CODES[how % CLOSE_CODES.length] as number);
    else if (kind === 'sendsTooMuch') peer.sendOversize(maxFrameBytes);
    else peer.sendFault(FAULT_KINDS[how % FAULT_KINDS.length] ?? 'opcode');
  }

  #deliver(leg: Leg, action: () => void): void {
    action();
    leg.peer.socket.deliver();
  }

  /** Everybody who is left goes, one way or the other; then time passes until the last deadline is over. */
  async #end(): Promise<void> {
    await settle(this.world);
    this.#throwFailure();
    const { ending } = this.#schedule;
    const { limits, stage } = this.world;
    this.#note('the end');
    if (ending % 6 === 0) await this.world.close();
    for (const [index, leg] of this.world.alive.entries()) {
      const way = (ending + index) % 4;
      if (ending % 6 === 0 && way > 1) continue;
      if (way === 0) leg.peer.reset();
      else if (way === 1) leg.peer.halfClose();
      else if (way === 2 && leg.peer.maySend) leg.peer.sendClose(1001);
      else leg.peer.answersPings = false;
    }
    await settle(this.world);
    const { heartbeatMs, stallMs, graceMs, pendingMs, closeDeadlineMs } = limits;
    const longest = Math.max(3 * heartbeatMs, 2 * stallMs, pendingMs) + graceMs + 3 * closeDeadlineMs;
    const isClosing = this.world.closing !== undefined;
    await this.#passTo(stage.now + (isClosing ? Math.max(9001, longest) : longest));
    if (!isClosing) await this.world.close();
    await settle(this.world);
    checkEnd(this.world);
    this.#checkEvents();
    this.#throwFailure();
  }

  #passTo(atMs: number): Promise<void> {
    this.#note(`time passes from ${this.world.stage.now} to ${atMs}`);
    return passTo(this.world, atMs);
  }

  #note(line: string): void {
    this.#trace.push(`${this.world.stage.now} ms: ${line}`);
  }

  #throwFailure(): void {
    const { failures } = this.world.stage;
    if (failures.length === 0) return;
    const story = this.#trace.slice(-TRACED).join('\n');
    throw new Error(
      `${failures.slice(0, 5).join('\n')}\n\nlimits: ${JSON.stringify(this.#schedule.limits)}\n${story}`,
    );
  }
}

const SERVER_IDS = Array.from({ length: HOSTS }, (_unused, host) => serverIdOf(host));

function hostNumber(serverId: string): number {
  return SERVER_IDS.indexOf(serverId);
}

/** What may come right behind an upgrade request. */
const PREPARATIONS: readonly ((peer: ScriptedPeer) => void)[] = [
  (peer) => peer.sendMessage(20),
  (peer) => peer.sendMessage(100, { isBinary: true, fragments: 3 }),
  (peer) => peer.sendPing(),
  (peer) => peer.sendClose(1000),
  (peer) => peer.sendFault('opcode'),
];
