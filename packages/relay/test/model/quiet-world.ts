import type { RelayLimits } from '../../src/limits.ts';
import { checkStep } from './invariants.ts';
import type { Leg } from './leg.ts';
import { settle } from './settle.ts';
import { World, type WorldUpgrade } from './world.ts';

/** A socket as TCP gives it, to a peer with manners; a far end that does not read leaves no room. */
const PLAIN_SOCKET: WorldUpgrade['socket'] = {
  kernelBytes: 0,
  readAheadBytes: 65_536,
  chunkBytes: 65_536,
  tellsQueue: true,
  manners: { answersCloses: true },
};

/** A world for tests that tell a story: a step at a time, at rest after each, and watched by the model. */
export class QuietWorld {
  readonly world: World;

  private constructor(limits: Partial<RelayLimits>) {
    this.world = new World(limits);
    this.world.onStep = () => checkStep(this.world);
  }

  static async open(limits: Partial<RelayLimits> = {}): Promise<QuietWorld> {
    const quiet = new QuietWorld(limits);
    await quiet.world.lifecycle.start('127.0.0.1', 0);
    return quiet;
  }

  async host(host = 0, upgrade: Partial<WorldUpgrade> = {}): Promise<Leg> {
    return this.#upgrade({ role: 'host-control', host, ip: '10.0.0.1', socket: PLAIN_SOCKET, ...upgrade });
  }

  async client(host = 0, upgrade: Partial<WorldUpgrade> = {}): Promise<Leg> {
    return this.#upgrade({ role: 'client', host, ip: '10.0.0.2', socket: PLAIN_SOCKET, ...upgrade });
  }

  async data(host: number, client: Leg, upgrade: Partial<WorldUpgrade> = {}): Promise<Leg> {
    return this.#upgrade({
      role: 'host-data',
      host,
      ip: '10.0.0.1',
      connectionId: client.party.connectionId,
      socket: PLAIN_SOCKET,
      ...upgrade,
    });
  }

  /** Lets everything come to rest; throws when the model and the relay disagree. */
  async rest(): Promise<void> {
    await settle(this.world);
    this.check();
  }

  check(): void {
    const [failure] = this.world.stage.failures;
    if (failure !== undefined) throw new Error(failure);
  }

  async #upgrade(upgrade: WorldUpgrade): Promise<Leg> {
    const leg = this.world.upgrade(upgrade);
    await this.rest();
    return leg;
  }
}

/** Why an upgrade was refused, by what its peer heard; undefined when it was not. */
export function refusalOf(leg: Leg): string | undefined {
  const { close } = leg.peer.log;
  return leg.party.role === 'refused' && close !== undefined ? `${close.code} ${close.reason}` : undefined;
}
