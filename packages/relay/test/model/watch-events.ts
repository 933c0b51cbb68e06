import type { World } from './world.ts';

/** Holds what listeners are told against what happened: the stories of Hosts make sense, sockets end once. */
export function watchEvents(world: World): () => void {
  const { emitter, stage } = world;
  const hosts = new Map<string, 'online' | 'grace' | 'offline'>();
  const move = (serverId: string, to: 'online' | 'grace' | 'offline'): void => {
    const from = hosts.get(serverId) ?? 'offline';
    const isPossible = to === 'online' || (to === 'grace' ? from === 'online' : from !== 'offline');
    if (!isPossible) stage.fail(`events: a Host went from ${from} to ${to}`);
    hosts.set(serverId, to);
  };
  emitter.on('hostOnline', ({ serverId }) => move(serverId, 'online'));
  emitter.on('hostInGrace', ({ serverId }) => move(serverId, 'grace'));
  emitter.on('hostOffline', ({ serverId }) => move(serverId, 'offline'));

  let pairedCount = 0;
  emitter.on('paired', () => pairedCount++);

  const closed = new Set<unknown>();
  emitter.on('socketClosed', (event) => {
    const leg = world.goingLeg;
    if (leg === undefined || closed.has(leg))
      return stage.fail('events: a socket was closed that is not going');
    closed.add(leg);
    // 1006 stands for an end without a close frame (RFC 6455 section 7.1.5).
    const codes = leg.endCodes.length === 0 ? [1006] : leg.endCodes;
    if (!codes.includes(event.code) || event.role !== leg.party.role) {
      stage.fail(
        `events: ${leg.name} ended as ${event.role} with ${event.code}, expected ${codes.join(' or ')}`,
      );
    }
  });

  return () => {
    for (const [serverId, state] of hosts) {
      if (state !== 'offline') stage.fail(`events: ${serverId} is ${state} at the end`);
    }
    const accepted = world.legs.filter(({ party }) => party.role !== 'refused');
    const dataCount = accepted.filter(({ party }) => party.role === 'host-data').length;
    if (closed.size !== accepted.length)
      stage.fail(`events: ${closed.size} of ${accepted.length} were closed`);
    if (pairedCount !== dataCount) stage.fail(`events: ${pairedCount} of ${dataCount} were paired`);
  };
}
