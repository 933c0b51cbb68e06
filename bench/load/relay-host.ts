import { clientQuery, createHostKey, type HostKey, hostQuery } from './host-key.ts';
import type { Pair, PairSource } from './pairs.ts';
import { connectPeer, type Peer } from './peer.ts';

const PAIRS_PER_HOST = 50;
const SETUP_TIMEOUT_MS = 10_000;

/** A Host with its control connection; opens pairs one after the other, since a client is not told its id. */
export class RelayHost {
  readonly #port: number;
  readonly #key: HostKey;
  #control: Peer | undefined;
  #announced: ((connectionId: string) => void) | undefined;

  constructor(port: number, key: HostKey = createHostKey()) {
    this.#port = port;
    this.#key = key;
  }

  /** Opens the control connection and waits for its first message, the sync. */
  async connect(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no sync within 10 s')), SETUP_TIMEOUT_MS);
      const onSync = (): void => {
        clearTimeout(timer);
        resolve();
      };
      connectPeer({ port: this.#port, query: hostQuery(this.#key) }, (peer) =>
        this.#listen(peer, onSync),
      ).catch(reject);
    });
  }

  /** One pair: client, announcement on control, host-data. */
  async openPair(): Promise<Pair> {
    const { promise: announced, resolve, reject } = Promise.withResolvers<string>();
    const timer = setTimeout(() => reject(new Error('client not announced within 10 s')), SETUP_TIMEOUT_MS);
    this.#announced = resolve;
    const opening = connectPeer({ port: this.#port, query: clientQuery(this.#key.serverId) }, (peer) => {
      peer.onEnd = () => reject(new Error(`client refused: ${peer.closeCode} ${peer.closeReason}`));
    });
    try {
      const [client, connectionId] = await Promise.all([opening, announced]);
      const host = await connectPeer({ port: this.#port, query: hostQuery(this.#key, connectionId) });
      return { client, host };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Opens several pairs, one after the other. */
  async openPairs(count: number): Promise<Pair[]> {
    const pairs: Pair[] = [];
    for (let index = 0; index < count; index += 1) {
      pairs.push(await this.openPair());
    }
    return pairs;
  }

  discard(): void {
    this.#control?.discard();
  }

  #listen(peer: Peer, onSync: () => void): void {
    this.#control = peer;
    let text = '';
    peer.onPayload = (bytes) => {
      text += bytes.toString();
    };
    peer.onMessage = () => {
      const message = parseControlMessage(text);
      text = '';
      if (message.type === 'sync') {
        onSync();
      }
      if (message.type === 'connected') {
        this.#announced?.(message.connectionId);
      }
    };
  }
}

/** Pairs through a Layer 1 relay; its Hosts stay connected and serve every later call. */
export function relayPairSource(port: number): PairSource {
  const hosts: RelayHost[] = [];
  return {
    open: async (count) => {
      const wanted = Math.ceil(count / PAIRS_PER_HOST);
      while (hosts.length < wanted) {
        const host = new RelayHost(port);
        await host.connect();
        hosts.push(host);
      }
      const share = Math.ceil(count / wanted);
      const opened = await Promise.all(
        hosts.slice(0, wanted).map((host, index) => host.openPairs(Math.min(share, count - index * share))),
      );
      return opened.flat();
    },
    dispose: () => {
      for (const host of hosts) {
        host.discard();
      }
    },
  };
}

interface ControlMessage {
  readonly type: string;
  readonly connectionId: string;
}

function parseControlMessage(text: string): ControlMessage {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null || !('type' in parsed)) {
    throw new Error(`not a control message: ${text.slice(0, 80)}`);
  }
  const connectionId = 'connectionId' in parsed ? parsed.connectionId : '';
  return { type: String(parsed.type), connectionId: typeof connectionId === 'string' ? connectionId : '' };
}
