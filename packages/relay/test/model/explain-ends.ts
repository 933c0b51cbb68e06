import type { Leg } from './leg.ts';
import { startClosing } from './leg.ts';
import type { ModelConnection, ModelHost } from './relay-model.ts';
import type { World } from './world.ts';

/**
 * Finds what the relay ended by itself (timers, queues, shutdown), demands a reason that layer 1 knows for it, and
 * brings the model up to date.
 */
export function explainEnds(world: World): void {
  for (const host of world.model.hosts.values()) explainForgotten(host, world);
  // Before the control connections: the end of a Client may be what a Host's queue had no room for.
  for (const connection of world.model.connections) explainConnection(connection, world);
  for (const host of world.model.hosts.values()) explainControl(host, world);
  for (const leg of world.controls) if (leg.waitingBytes === 0) leg.expectedWhenIdle = leg.expected.length;
}

function explainForgotten(host: ModelHost, world: World): void {
  const { model, stage, parts } = world;
  const { control } = host;
  if (parts.context.hosts.find(host.serverId) !== undefined) return;
  const isOver = 'graceUntilMs' in control && control.graceUntilMs <= stage.now;
  if (!isOver && !model.isDraining) stage.fail(`a Host was forgotten too soon: ${describe(host)}`);
  model.hosts.delete(host.serverId);
  if ('peer' in control) startClosing(control, [1012], stage.now);
  for (const connection of host.connections.values()) {
    const codes = [1012, ...pendingCodes(connection, world)];
    for (const leg of legsOf(connection)) startClosing(leg, codes, stage.now);
  }
}

function explainControl({ control }: ModelHost, world: World): void {
  const { model, stage } = world;
  if (!('peer' in control) || !control.isRelayClosed) return;
  const codes = [...giveUpCodes(control, world), ...overflowCodes(control, world)];
  if (codes.length === 0) stage.fail(`${control.name}: the relay closed it without a cause`);
  model.end(control, { kind: 'given-up', codes });
}

function explainConnection(connection: ModelConnection, world: World): void {
  const { model, stage } = world;
  const legs = legsOf(connection);
  if (!legs.some((leg) => leg.isRelayClosed)) return;
  const codes = [
    ...legs.flatMap((leg) => giveUpCodes(leg, world)),
    ...pendingCodes(connection, world),
    ...(model.isDraining ? [1012] : []),
  ];
  if (codes.length === 0)
    stage.fail(`${legs.map(({ name }) => name).join(' and ')}: the relay closed them without a cause`);
  for (const leg of legs) startClosing(leg, codes, stage.now);
  model.forget(connection);
}

function legsOf({ client, data }: ModelConnection): Leg[] {
  return data === undefined ? [client] : [client, data];
}

function pendingCodes({ data, pendingUntilMs }: ModelConnection, { stage }: World): number[] {
  return data === undefined && pendingUntilMs <= stage.now ? [4008] : [];
}

/** Silent since the last ping, or taking nothing of what waits. */
function giveUpCodes(leg: Leg, { limits, stage }: World): number[] {
  const codes: number[] = [];
  const isControl = leg.party.role === 'host-control';
  if (stage.now - leg.lastSignMs >= limits.heartbeatMs) codes.push(isControl ? 4003 : 1012);
  const { lastTakenAtMs, blockedAtMs } = leg.peer.socket;
  const isStalled = stage.now - Math.max(lastTakenAtMs, blockedAtMs) >= limits.stallMs;
  if (leg.waitingBytes > 0 && isStalled) codes.push(1012);
  return codes;
}

/**
 * A control connection whose Host let too much wait. What was handed to the socket counts until all of it is taken;
 * the channel's own tests are exact.
 */
function overflowCodes(control: Leg, { limits }: World): number[] {
  const waiting = control.expected.slice(control.expectedWhenIdle);
  const bytes = waiting.reduce((sum, { body }) => sum + body.length, 0);
  return waiting.length > limits.maxControlQueueEntries || bytes > limits.maxControlQueuedBytes ? [4029] : [];
}

function describe(host: ModelHost): string {
  return 'peer' in host.control
    ? `live with ${host.control.name}`
    : `in grace until ${host.control.graceUntilMs}`;
}
