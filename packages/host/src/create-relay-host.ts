import { EventEmitter } from 'node:events';
import { createHostTunnel, openHostChannel, SpentHellos } from '@openchambery/tunnel';
import { createNodeAeadKey } from '@openchambery/tunnel/node';
import type { OpenTunnel } from './connection/data-connection.ts';
import { DataConnections } from './connection/data-connections.ts';
import { createControlOpener } from './control/control-connection.ts';
import { ControlLoop } from './control/control-loop.ts';
import { createDispatcher } from './dispatch/create-dispatcher.ts';
import type { StreamDispatcher } from './dispatch/stream-dispatcher.ts';
import { HostError } from './host-error.ts';
import { resolveHostOptions, type ResolvedHostOptions } from './host-options.ts';
import type { HostEvents, HostSnapshot, HostStatus, RelayHost, RelayHostOptions } from './relay-host.ts';
import { createRelayDoor } from './relay/relay-door.ts';

/**
 * A Host: keeps a control connection to its relay, and for each Client a data connection whose requests go to the target.
 * Nothing is opened before `start()`.
 * @throws {HostOptionError} when an option is not usable.
 */
export function createRelayHost(options: RelayHostOptions): RelayHost {
  return new ConnectedHost(resolveHostOptions(options), createDispatcher(options));
}

class ConnectedHost implements RelayHost {
  readonly serverId: string;
  readonly relayUrl: string;
  readonly #dispatcher: StreamDispatcher;
  readonly #loop: ControlLoop;
  readonly #connections: DataConnections;
  readonly #emitter = new EventEmitter<HostEvents>();
  #lastError: string | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: ResolvedHostOptions, dispatcher: StreamDispatcher) {
    const { relayUrl, identity, clock } = options;
    this.serverId = identity.signing.serverId;
    this.relayUrl = relayUrl;
    this.#dispatcher = dispatcher;
    // Whoever waits in `connected` listens too, and any number may.
    this.#emitter.setMaxListeners(0);
    const openDoor = createRelayDoor({ relayUrl, identity: identity.signing, clock });
    this.#connections = this.#createConnections({ openDoor, openTunnel: tunnelOpener(options), ...options });
    this.#loop = new ControlLoop(
      { openControl: createControlOpener(openDoor, clock), ...options },
      {
        onMessage: (message) => this.#connections.onControlMessage(message),
        onStatus: (status) => this.#onStatus(status),
      },
    );
  }

  get status(): HostStatus {
    return this.#loop.status;
  }

  snapshot(): HostSnapshot {
    return {
      status: this.status,
      connections: this.#connections.openCount,
      ...this.#connections.traffic,
      turnedAwayConnections: this.#connections.turnedAwayCount,
      lastError: this.#lastError,
    };
  }

  start(): void {
    this.#loop.start();
  }

  connected(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const settle = (status: HostStatus): void => {
      if (status.state === 'connected') resolve();
      else if (status.state === 'stopped') reject(new HostError('ERR_HOST_STOPPED', 'the Host was stopped'));
      else return;
      this.off('status', settle);
    };
    this.on('status', settle);
    settle(this.status);
    return promise;
  }

  disconnect(connectionId: string, reason: string): void {
    this.#connections.close(connectionId, reason);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  on<Name extends keyof HostEvents>(name: Name, listener: (...args: HostEvents[Name]) => void): this {
    this.#emitter.on<keyof HostEvents>(name, listener as (...args: HostEvents[keyof HostEvents]) => void);
    return this;
  }

  off<Name extends keyof HostEvents>(name: Name, listener: (...args: HostEvents[Name]) => void): this {
    this.#emitter.off<keyof HostEvents>(name, listener as (...args: HostEvents[keyof HostEvents]) => void);
    return this;
  }

  /** Control first, so that no more Clients are announced. */
  async #stop(): Promise<void> {
    const stopped = this.#loop.stop();
    await Promise.all([stopped, this.#connections.closeAll('the Host was stopped')]);
    this.#dispatcher.close();
  }

  #createConnections(options: ConstructorParameters<typeof DataConnections>[0]): DataConnections {
    return new DataConnections(options, {
      handlersFor: (connectionId) => this.#handlersFor(connectionId),
      onOpened: (connectionId) => void this.#emitter.emit('connectionOpened', { connectionId }),
      onClosed: (connectionId, reason) =>
        void this.#emitter.emit('connectionClosed', { connectionId, reason }),
      onFault: (reason) => {
        this.#lastError = reason;
      },
    });
  }

  #handlersFor(
    connectionId: string,
  ): ReturnType<ConstructorParameters<typeof DataConnections>[1]['handlersFor']> {
    const context = {
      connectionId,
      report: ({ path, error }: { readonly path: string; readonly error: string }): void => {
        this.#lastError = error;
        this.#emitter.emit('requestFailed', { connectionId, path, error });
      },
    };
    return {
      onRequest: (stream) => this.#dispatcher.onRequest(stream, context),
      onSocket: (stream) => this.#dispatcher.onSocket(stream, context),
    };
  }

  #onStatus(status: HostStatus): void {
    if (status.state === 'reconnecting' || status.state === 'refused') this.#lastError = status.reason;
    this.#emitter.emit('status', status);
  }
}

/** Layers 2 and 3 of a Host, over any transport. */
function tunnelOpener({ identity, clock, maxStreamsPerConnection }: ResolvedHostOptions): OpenTunnel {
  const channels = {
    clock,
    encryptionKeys: identity.encryption,
    importAeadKey: createNodeAeadKey,
    spentHellos: new SpentHellos(),
  };
  return (transport, listener) =>
    createHostTunnel(
      {
        clock,
        limits: { maxStreams: maxStreamsPerConnection },
        openChannel: (channelListener) => openHostChannel({ ...channels, transport }, channelListener),
      },
      listener,
    );
}
