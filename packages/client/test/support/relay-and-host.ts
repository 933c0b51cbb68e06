import {
  createHostIdentity,
  formatUpgradeQuery,
  type HostIdentity,
  signUpgrade,
} from '@openchambery/protocol';
import { createRelayServer, type RelayServer, type RelayServerOptions } from '@openchambery/relay';
import { uniqueTs } from '@openchambery/testkit';
import {
  createEncryptionKeys,
  createHostTunnel,
  type EncryptionKeys,
  type HostStreamHandlers,
  openHostChannel,
} from '@openchambery/tunnel';
import { createNodeAeadKey, createWsTransport } from '@openchambery/tunnel/node';
import { WebSocket } from 'ws';
import type { RelayClientOptions } from '../../src/relay-client.ts';

/** A relay on a port of its own. */
export async function startRelay(options: RelayServerOptions = {}): Promise<RelayServer> {
  const relay = createRelayServer({ port: 0, ...options });
  await relay.start();
  return relay;
}

/** A small Host: takes every Client that the relay announces, and gives its streams to the handlers. */
export class SmallHost {
  readonly identity: HostIdentity;
  readonly keys: EncryptionKeys;
  /** Data connections, in the order they were announced. */
  readonly sockets: WebSocket[] = [];
  readonly #relayUrl: string;
  readonly #handlers: HostStreamHandlers;
  #control: WebSocket | undefined;

  private constructor(
    parts: Pick<SmallHost, 'identity' | 'keys'>,
    url: string,
    handlers: HostStreamHandlers,
  ) {
    this.identity = parts.identity;
    this.keys = parts.keys;
    this.#relayUrl = url;
    this.#handlers = handlers;
  }

  static async start(relay: RelayServer, handlers: HostStreamHandlers): Promise<SmallHost> {
    const parts = { identity: await createHostIdentity(), keys: await createEncryptionKeys() };
    const host = new SmallHost(parts, relayUrl(relay), handlers);
    await host.connect();
    return host;
  }

  /** What a Client of this Host needs. */
  get pairing(): RelayClientOptions {
    return {
      relayUrl: this.#relayUrl,
      serverId: this.identity.serverId,
      hostEncPubJwk: this.keys.publicJwk,
    };
  }

  stop(): void {
    this.#control?.terminate();
    for (const socket of this.sockets) socket.terminate();
  }

  /** Opens the control connection, also to a relay that was started anew. */
  async connect(): Promise<void> {
    const control = await this.#dial();
    this.#control = control;
    control.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { type: string; connectionId: string };
      if (message.type === 'connected') void this.#attach(message.connectionId);
    });
    await new Promise((resolve, reject) => {
      control.once('message', resolve);
      control.once('error', reject);
    });
  }

  async #attach(connectionId: string): Promise<void> {
    const socket = await this.#dial(connectionId);
    this.sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('open', () => {
      const transport = createWsTransport(socket);
      const { keys } = this;
      createHostTunnel(
        {
          openChannel: (listener) =>
            openHostChannel({ transport, encryptionKeys: keys, importAeadKey: createNodeAeadKey }, listener),
        },
        {
          onRequest: (stream) => this.#handlers.onRequest(stream),
          onSocket: (stream) => this.#handlers.onSocket(stream),
          onOpen: () => undefined,
          onClose: () => undefined,
        },
      );
    });
  }

  async #dial(connectionId?: string): Promise<WebSocket> {
    const ts = uniqueTs();
    const upgrade =
      connectionId === undefined
        ? ({ role: 'host-control', ts } as const)
        : ({ role: 'host-data', connectionId, ts } as const);
    const query = formatUpgradeQuery(await signUpgrade(this.identity, upgrade));
    return new WebSocket(`${this.#relayUrl}?${query}`, { perMessageDeflate: false });
  }
}

export function relayUrl(relay: RelayServer): string {
  const { host, port } = relay.address();
  return `ws://${host}:${port}/ws`;
}
