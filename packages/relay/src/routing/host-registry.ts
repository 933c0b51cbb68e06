import { ownText } from '@openchambery/daemon';
import type { RelayContext } from '../relay-context.ts';
import { Host } from './host.ts';

/** Every Host the relay has a route for, live or in grace. */
export class HostRegistry {
  readonly #hosts = new Map<string, Host>();

  get size(): number {
    return this.#hosts.size;
  }

  /** Hosts whose control connection is lost and may come back. */
  get graceSize(): number {
    let count = 0;
    for (const host of this.#hosts.values()) if (host.isInGrace) count++;
    return count;
  }

  find(serverId: string): Host | undefined {
    return this.#hosts.get(serverId);
  }

  /** The Host's route, made when there is none. */
  findOrCreate(serverId: string, context: RelayContext): Host {
    const known = this.#hosts.get(serverId);
    if (known !== undefined) return known;
    const id = ownText(serverId);
    const host = new Host(id, context, () => this.#hosts.delete(id));
    this.#hosts.set(id, host);
    return host;
  }

  /** A copy, so that closing may change the registry. */
  all(): Host[] {
    return [...this.#hosts.values()];
  }
}
