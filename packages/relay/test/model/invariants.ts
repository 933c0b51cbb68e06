import type { Role } from '@openchambery/protocol';
import { parseControlMessage } from '@openchambery/protocol';
import { takeSnapshot } from '../../src/observe/snapshot.ts';
import { createWireLimits } from '../../src/wire-limits.ts';
import type { Message } from './frame-log.ts';
import type { Leg } from './leg.ts';
import type { ModelHost } from './relay-model.ts';
import type { World } from './world.ts';

/** What the relay keeps of an unfinished frame, and control frames and handshakes beside the data, in bytes. */
const SLACK_BYTES = 4096 + 400;

/** What holds after every single input of the relay, whatever still is on its way. */
export function checkStep(world: World): void {
  checkRouting(world);
  checkLegs(world);
}

/** What holds once everything that can move has moved. */
export function checkQuiet(world: World): void {
  checkRouting(world);
  checkGauges(world);
  for (const leg of world.legs) {
    checkReceived(leg, world);
    if (!leg.isGone) checkDeadlines(leg, world);
  }
  for (const leg of world.accepted) checkFlow(leg, world);
  checkRoutingDeadlines(world);
}

/** What holds when every socket is gone. */
export function checkEnd(world: World): void {
  const { stage, parts } = world;
  for (const leg of world.alive) stage.fail(`${leg.name}: still there at the end`);
  const { sockets, totals, admissionEntries, replayEntries, state, ...gauges } = takeSnapshot(parts, {
    state: 'closed',
    rawSockets: 0,
  });
  for (const [name, value] of Object.entries({ ...gauges, ...sockets })) {
    expectEqual(world, () => `at the end, ${name}`, value, 0);
  }
  expectEqual(world, 'timers at the end', stage.pendingTimers, 0);
  expectEqual(world, 'turns at the end', stage.pendingTurns, 0);
  expectEqual(world, 'admissions at the end', admissionEntries >= 0 && replayEntries >= 0, true);
  expectEqual(world, 'the last state', state, 'closed');
  const refused = Object.values(totals.refused).reduce((sum, count) => sum + count, 0);
  const accepted = Object.values(totals.accepted).reduce((sum, count) => sum + count, 0);
  const isRefused = (leg: Leg): boolean => leg.party.role === 'refused';
  expectEqual(world, 'refused in total', refused, world.legs.filter(isRefused).length);
  expectEqual(world, 'accepted in total', accepted, world.legs.filter((leg) => !isRefused(leg)).length);
  for (const peer of world.strangers) {
    expectEqual(world, () => `${peer.name}: its answer`, peer.log.statusLine, 'HTTP/1.1 400 Bad Request');
  }
}

function checkRouting(world: World): void {
  const { model, parts } = world;
  const { hosts, connections } = parts.context;
  const byIp = new Map([...world.ips].map((ip) => [ip, { total: 0, pending: 0 }]));
  let total = 0;
  let pending = 0;
  for (const host of model.hosts.values()) {
    let pendingOfHost = 0;
    for (const { client, data } of host.connections.values()) {
      const ofIp = byIp.get(client.party.ip);
      if (ofIp !== undefined) ofIp.total++;
      if (data !== undefined) continue;
      pendingOfHost++;
      if (ofIp !== undefined) ofIp.pending++;
    }
    total += host.connections.size;
    pending += pendingOfHost;
    checkHost(host, pendingOfHost, world);
  }
  expectEqual(world, 'hosts', hosts.size, model.hosts.size);
  expectEqual(world, 'connections', connections.size, total);
  expectEqual(world, 'pending', connections.pendingSize, pending);
  for (const [ip, ofIp] of byIp) {
    expectEqual(world, () => `clients of ${ip}`, connections.countForIp(ip), ofIp.total);
    expectEqual(world, () => `pending of ${ip}`, connections.countPendingForIp(ip), ofIp.pending);
  }
}

function checkHost(host: ModelHost, pending: number, world: World): void {
  const { serverId } = host;
  const { hosts, connections } = world.parts.context;
  const route = hosts.find(serverId);
  expectEqual(world, () => `${serverId} in grace`, route?.isInGrace, !('peer' in host.control));
  expectEqual(world, () => `clients of ${serverId}`, route?.clientCount, host.connections.size);
  if (route === undefined) return;
  expectEqual(world, () => `pending of ${serverId}`, connections.countPendingForHost(route), pending);
  for (const { id, client, data } of host.connections.values()) {
    const connection = route.find(id);
    expectEqual(world, () => `${client.name} is pending`, connection?.isPending, data === undefined);
    const legs = connection?.sockets ?? [];
    expectEqual(world, () => `the client leg of ${client.name}`, legs[0], client.relaySocket);
    expectEqual(world, () => `the data leg of ${client.name}`, legs[1], data?.relaySocket);
  }
}

function checkLegs(world: World): void {
  const { sockets } = world.parts.context;
  const counts: Record<Role | 'refused', number> = {
    client: 0,
    'host-control': 0,
    'host-data': 0,
    refused: 0,
  };
  for (const leg of world.alive) {
    counts[leg.party.role]++;
    if (leg.relaySocket === undefined) continue;
    expectEqual(world, () => `${leg.name} is open`, leg.relaySocket.wire.isOpen, leg.isOpen);
  }
  const { refused, ...byRole } = counts;
  const seen = sockets.counts();
  for (const role of ['client', 'host-control', 'host-data'] as const) {
    expectEqual(world, () => `${role} sockets`, seen[role], byRole[role]);
  }
  expectEqual(world, 'refused sockets', world.parts.refused.size, refused);
}

function checkGauges(world: World): void {
  const { stage, model, parts, limits } = world;
  const { queuedBytes, pausedSources } = takeSnapshot(parts, { state: 'listening', rawSockets: 0 });
  const waiting = parts.context.sockets.all().reduce((sum, socket) => sum + socket.wire.waitingBytes, 0);
  const refusedBytes = world.alive
    .filter((leg) => leg.party.role === 'refused')
    .reduce((sum, leg) => sum + leg.peer.socket.writableLength, 0);
  let leastHeld = 0;
  let mostHeld = 0;
  for (const { client } of model.pending) {
    const read = client.peer.units.slice(0, client.readUnits);
    leastHeld += read.reduce(
      (sum, unit) => sum + (unit.kind === 'message' ? unit.message.body.length : 0),
      0,
    );
    mostHeld += client.readBytes + 10 * client.chunks;
  }
  const held = queuedBytes - waiting;
  if (held < leastHeld || held > mostHeld + refusedBytes + SLACK_BYTES) {
    stage.fail(`queuedBytes is ${queuedBytes}: ${waiting} wait, ${leastHeld} to ${mostHeld} are held`);
  }
  const mostQueued =
    limits.maxGlobalQueuedBytes + world.alive.length * (world.largestReadBytes + SLACK_BYTES);
  if (queuedBytes > mostQueued) stage.fail(`queuedBytes is ${queuedBytes}, beyond the budget`);
  const paused = world.accepted.filter((leg) => leg.peer.socket.isPaused()).length;
  expectEqual(world, 'pausedSources', pausedSources, paused);
  checkTimers(world);
}

/** A timer ends with what it was set for: one heartbeat, one per wait, at most two per socket. */
function checkTimers({ stage, model, alive, accepted, closing }: World): void {
  const graces = [...model.hosts.values()].filter(({ control }) => 'graceUntilMs' in control).length;
  const least = graces + model.pending.length + Math.min(1, accepted.length);
  const most = least + 2 * alive.length + (closing === undefined ? 0 : 1);
  if (stage.pendingTimers < least || stage.pendingTimers > most) {
    stage.fail(`${stage.pendingTimers} timers are set, there are uses for ${least} to ${most}`);
  }
}

/** Verbatim, in order, for nobody else, and all of it before the close frame. */
function checkReceived(leg: Leg, world: World): void {
  const { stage } = world;
  const { log } = leg.peer;
  if (log.fault !== undefined) stage.fail(`${leg.name}: ${log.fault}`);
  if (leg.party.role === 'host-control') checkControl(leg, world);
  else checkData(leg, world);
  checkClose(leg, world);
  for (const pong of log.pongs) {
    const isAsked = leg.peer.units.some((unit) => unit.kind === 'ping' && unit.payload === pong);
    if (!isAsked) stage.fail(`${leg.name}: a pong nobody asked for: ${pong}`);
  }
}

function checkData(leg: Leg, world: World): void {
  const { messages, close } = leg.peer.log;
  for (; leg.verified < messages.length; leg.verified++) {
    const got = messages[leg.verified] as Message;
    const wanted = leg.expected[leg.verified];
    if (wanted?.body === got.body && wanted.isBinary === got.isBinary) continue;
    world.stage.fail(`${leg.name}: expected ${describe(wanted)} next, got ${describe(got)}`);
    return;
  }
  const mustHaveAll = close !== undefined || (leg.isOpen && leg.peer.socket.isFarReading);
  if (mustHaveAll && leg.verified < leg.expected.length) {
    const when = close === undefined ? 'though it reads' : 'before its close frame';
    world.stage.fail(`${leg.name}: got ${leg.verified} of ${leg.expected.length} messages ${when}`);
  }
}

/** Sync first, every announced client gone once; while it is open and reads, exactly what the model says. */
function checkControl(leg: Leg, world: World): void {
  const { stage } = world;
  const known = new Set<string>();
  const texts = leg.peer.log.messages.map(({ body }) => body);
  for (const [index, text] of texts.entries()) {
    const message = parseControlMessage(text);
    if (message === undefined || (message.type === 'sync') !== (index === 0)) {
      return stage.fail(`${leg.name}: unexpected ${text}`);
    }
    if (message.type === 'sync') for (const id of message.connectionIds) known.add(id);
    else if (known.has(message.connectionId) === (message.type === 'connected')) {
      return stage.fail(`${leg.name}: ${text} out of place`);
    } else if (message.type === 'connected') known.add(message.connectionId);
    else known.delete(message.connectionId);
  }
  if (!leg.isOpen || !leg.peer.socket.isFarReading) return;
  const wanted = leg.expected.map(({ body }) => body);
  expectEqual(
    world,
    () => `what ${leg.name} was told`,
    sortRuns(texts).join('\n'),
    sortRuns(wanted).join('\n'),
  );
}

/** Clients that go in one step may be named in any order. */
function sortRuns(texts: readonly string[]): string[] {
  const sorted: string[] = [];
  let run: string[] = [];
  for (const text of texts) {
    if (text.includes('"disconnected"')) run.push(text);
    else {
      sorted.push(...run.sort(), text);
      run = [];
    }
  }
  return [...sorted, ...run.sort()];
}

function checkClose(leg: Leg, world: World): void {
  const { stage } = world;
  const { close } = leg.peer.log;
  if (leg.state.kind === 'open' && close !== undefined) stage.fail(`${leg.name}: closed with ${close.code}`);
  if (leg.state.kind !== 'closing') return;
  const { codes } = leg.state;
  if (close !== undefined && !codes.includes(close.code)) {
    stage.fail(`${leg.name}: closed with ${close.code}, expected ${codes.join(' or ') || 'no close frame'}`);
  }
  if (close !== undefined && close.reason === '' && !leg.isReaderDone) {
    stage.fail(`${leg.name}: closed with ${close.code} without a reason`);
  }
  const mustHear = codes.length > 0 && leg.peer.socket.isFarReading && !leg.peer.hasReset;
  if (mustHear && close === undefined && !leg.peer.socket.destroyed) {
    stage.fail(`${leg.name}: got no close frame, expected ${codes.join(' or ')}`);
  }
}

function checkDeadlines(leg: Leg, world: World): void {
  const { stage, limits } = world;
  if (leg.state.kind === 'closing') {
    const waited = stage.now - leg.state.sinceMs;
    if (waited > 2 * limits.closeDeadlineMs) stage.fail(`${leg.name}: still closing after ${waited} ms`);
    return;
  }
  const silentMs = stage.now - leg.lastPossibleSignMs;
  // A peer that was sent much may be busy reading it for two probes more.
  const sentBytes = leg.relaySocket?.wire.sentBytes ?? 0;
  const patienceMs = sentBytes < 65_536 ? 0 : 2 * limits.heartbeatMs;
  if (silentMs > 2 * limits.heartbeatMs + patienceMs)
    stage.fail(`${leg.name}: still open, silent for ${silentMs} ms`);
  const { lastTakenAtMs, blockedAtMs } = leg.peer.socket;
  const stalledMs = stage.now - Math.max(lastTakenAtMs, blockedAtMs);
  if (leg.waitingBytes > 0 && stalledMs > 1.5 * limits.stallMs + 4) {
    stage.fail(`${leg.name}: still open, stalled for ${stalledMs} ms`);
  }
}

function checkRoutingDeadlines({ model, stage, closing, lifecycle }: World): void {
  for (const { client, pendingUntilMs } of model.pending) {
    if (pendingUntilMs <= stage.now) stage.fail(`${client.name}: pending for too long`);
  }
  for (const { serverId, control } of model.hosts.values()) {
    if ('graceUntilMs' in control && control.graceUntilMs <= stage.now) {
      stage.fail(`${serverId}: in grace for too long`);
    }
  }
  if (closing === undefined || stage.now - closing.startedAtMs <= 9000) return;
  if (!closing.isOver || lifecycle.state !== 'closed') stage.fail('close() is not over after 9 s');
}

/** Backpressure: bounded, and never where nothing waits. */
function checkFlow(leg: Leg, world: World): void {
  const { stage, limits, model } = world;
  const { socket } = leg.peer;
  if (!leg.isOpen) {
    // Only by reading can the relay learn how the peer ends.
    if (socket.isPaused()) stage.fail(`${leg.name}: closing, and not read`);
    return;
  }
  if (socket.isFarReading)
    expectEqual(world, () => `${leg.name}: bytes that wait though it reads`, leg.waitingBytes, 0);
  const { highWaterBytes } = createWireLimits(limits);
  if (
    leg.party.role !== 'host-control' &&
    leg.waitingBytes > highWaterBytes + world.largestReadBytes + SLACK_BYTES
  ) {
    stage.fail(
      `${leg.name}: ${leg.waitingBytes} bytes wait, beyond the high-water mark of ${highWaterBytes}`,
    );
  }
  if (!socket.isPaused()) return;
  leg.pausedAtMs = stage.now;
  const target = model.targetOf(leg);
  const isPending = leg.party.role === 'client' && target === undefined;
  if (!isPending && (target === undefined || target.waitingBytes === 0)) {
    stage.fail(`${leg.name}: paused for nothing`);
  }
}

function describe(message: Message | undefined): string {
  if (message === undefined) return 'nothing';
  return `${message.isBinary ? 'binary' : 'text'} "${message.body.slice(0, 40)}" of ${message.body.length}`;
}

/** `what` is only asked for when it is needed: this runs thousands of times per schedule. */
function expectEqual(world: World, what: string | (() => string), got: unknown, wanted: unknown): void {
  if (got === wanted) return;
  const name = typeof what === 'string' ? what : what();
  world.stage.fail(`${name}: expected ${String(wanted)}, got ${String(got)}`);
}
