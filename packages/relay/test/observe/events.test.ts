import { describe, expect, it } from 'vitest';
import { checkStep } from '../model/invariants.ts';
import { settle } from '../model/settle.ts';
import { World, type WorldUpgrade } from '../model/world.ts';

const socket: WorldUpgrade['socket'] = {
  kernelBytes: 1000,
  readAheadBytes: 65_536,
  chunkBytes: 65_536,
  tellsQueue: true,
  manners: { answersCloses: true },
};

async function setUp(): Promise<{ world: World; events: string[] }> {
  const world = new World({});
  world.onStep = () => checkStep(world);
  await world.lifecycle.start('127.0.0.1', 0);
  const events: string[] = [];
  for (const name of ['hostOnline', 'hostInGrace', 'paired', 'socketClosed'] as const) {
    world.emitter.on(name, () => events.push(name));
  }
  return { world, events };
}

describe('events of one relay', () => {
  it('tells of a Host before its end, also when the close comes with the upgrade', async () => {
    const { world, events } = await setUp();
    world.upgrade({
      role: 'host-control',
      host: 0,
      ip: '10.0.0.1',
      socket,
      prepare: (peer) => peer.sendClose(1000),
    });
    await settle(world);
    expect(world.stage.failures).toEqual([]);
    expect(events).toEqual(['hostOnline', 'hostInGrace', 'socketClosed']);
  });

  it('tells of a pair before its end, also when the close comes with the upgrade', async () => {
    const { world, events } = await setUp();
    world.upgrade({ role: 'host-control', host: 0, ip: '10.0.0.1', socket });
    const client = world.upgrade({ role: 'client', host: 0, ip: '10.0.0.1', socket });
    world.emitter.on('paired', () => events.push(`${world.parts.context.connections.size} connection`));
    world.upgrade({
      role: 'host-data',
      host: 0,
      ip: '10.0.0.1',
      connectionId: client.party.connectionId,
      socket,
      prepare: (peer) => peer.sendClose(1000),
    });
    await settle(world);
    expect(world.stage.failures).toEqual([]);
    expect(events).toEqual(['hostOnline', 'paired', '1 connection', 'socketClosed', 'socketClosed']);
  });
});
