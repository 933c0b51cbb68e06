import { HolderRanking } from './holder-ranking.ts';
import { IndexedHeap } from './indexed-heap.ts';
import type { KeptMark } from './kept-mark.ts';

/** The servers behind one IP. */
interface ServersOfIp {
  readonly ranking: HolderRanking;
  /** Of each server, its marks from this IP, lowest `ts` first. */
  readonly byTs: Map<string, IndexedHeap<KeptMark>>;
}

function isSignedBefore(a: KeptMark, b: KeptMark): boolean {
  return a.ts === b.ts ? a.seq < b.seq : a.ts < b.ts;
}

/**
 * Whose mark has to go when there are too many: of the IP that holds most, the server that holds most. A flood of
 * identities from one place thus pays for itself, and within that place no small server pays for a large one.
 */
export class Payers {
  readonly #ips = new HolderRanking();
  readonly #serversOfIp = new Map<string, ServersOfIp>();

  add(mark: KeptMark): void {
    const { ip, serverId } = mark;
    this.#ips.add(ip, mark);
    let servers = this.#serversOfIp.get(ip);
    if (servers === undefined) {
      servers = { ranking: new HolderRanking(), byTs: new Map() };
      this.#serversOfIp.set(ip, servers);
    }
    servers.ranking.add(serverId, mark);
    let byTs = servers.byTs.get(serverId);
    if (byTs === undefined) {
      byTs = new IndexedHeap(isSignedBefore);
      servers.byTs.set(serverId, byTs);
    }
    byTs.add(mark);
  }

  /** Throws when the mark is not held. */
  remove(mark: KeptMark): void {
    const { ip, serverId } = mark;
    this.#ips.remove(ip, mark);
    const servers = this.#serversOfIp.get(ip);
    const byTs = servers?.byTs.get(serverId);
    if (servers === undefined || byTs === undefined) throw new Error('the mark has no payer');
    servers.ranking.remove(serverId, mark);
    byTs.remove(mark);
    if (byTs.size === 0) servers.byTs.delete(serverId);
    if (servers.ranking.size === 0) this.#serversOfIp.delete(ip);
  }

  /** The mark that would go next: the payer's with the lowest `ts`. */
  get next(): KeptMark | undefined {
    const ip = this.#ips.first;
    const servers = ip === undefined ? undefined : this.#serversOfIp.get(ip.name);
    const server = servers?.ranking.first;
    return server === undefined ? undefined : servers?.byTs.get(server.name)?.first;
  }
}
