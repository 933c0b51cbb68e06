import { Socket } from 'node:net';
import { withTimeout } from '../wait.ts';
import { FlowCounter } from './flow-counter.ts';
import { Lane } from './lane.ts';
import { directionsOf, FaultControls } from './link-faults.ts';
import type { FaultScope, FlowDirection, LinkFaults, Traffic } from './link-faults.ts';
import { resetSocket } from './reset-socket.ts';

/** Where a proxy sends connections to. */
export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

/** `held` waits to be admitted; `black-hole` has nobody on the other side and never will. */
export type ConnectionState = 'held' | 'connecting' | 'open' | 'black-hole' | 'gone';

export interface ConnectionOptions {
  readonly id: number;
  readonly client: Socket;
  readonly totals: Readonly<Record<FlowDirection, FlowCounter>>;
  readonly faults: Readonly<Record<FlowDirection, LinkFaults>>;
  readonly maxBufferedBytes: number;
}

/** One TCP connection through the proxy: the client's socket and the one dialed for it. */
export class ProxiedConnection extends FaultControls {
  /** Counted from 1 in the order of arrival. */
  readonly id: number;
  /** The client's own port, by which a test tells its connections apart. */
  readonly clientPort: number;
  readonly #client: Socket;
  readonly #target: Socket;
  readonly #lanes: Readonly<Record<FlowDirection, Lane>>;
  readonly #counters: Readonly<Record<FlowDirection, FlowCounter>>;
  /** Resolves when both sockets are gone, whenever that is. */
  readonly gone: Promise<void>;
  #state: ConnectionState = 'held';

  /** @internal The proxy makes it. */
  constructor(options: ConnectionOptions) {
    super();
    const { client, totals, maxBufferedBytes } = options;
    this.id = options.id;
    this.clientPort = client.remotePort ?? 0;
    this.#client = client;
    this.#target = new Socket({ allowHalfOpen: true });
    this.#counters = {
      toTarget: new FlowCounter(totals.toTarget),
      toClient: new FlowCounter(totals.toClient),
    };
    const rest = { maxBufferedBytes, onEndingLost: () => this.#noticeLoss() };
    const { toTarget, toClient } = this.#counters;
    this.#lanes = {
      toTarget: new Lane({ source: client, destination: this.#target, counter: toTarget, ...rest }),
      toClient: new Lane({ source: this.#target, destination: client, counter: toClient, ...rest }),
    };
    for (const direction of directionsOf('both')) this.#lanes[direction].change(options.faults[direction]);
    this.gone = this.#watchEnd();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get traffic(): Traffic {
    return this.#counters;
  }

  /** The port that the target sees, once connected. */
  get localPort(): number | undefined {
    return this.#target.localPort;
  }

  /** Bytes that the proxy holds for `direction` at this moment. */
  bufferedBytes(direction: FlowDirection): number {
    return this.#lanes[direction].bufferedBytes;
  }

  /** Resolves when `bytes` in all have been delivered; rejects when the connection ends before. */
  passed(direction: FlowDirection, bytes: number): Promise<void> {
    const counter = this.#counters[direction];
    return withTimeout(
      counter.passed(bytes),
      () => `${counter.deliveredBytes} of ${bytes} bytes have passed ${direction}`,
    );
  }

  /** Like `gone`, but fails when it takes too long. */
  closed(): Promise<void> {
    return withTimeout(this.gone, () => `connection ${this.id} is ${this.#state}`);
  }

  /** Ends it with a FIN; `scope` says who gets one, the other side hears nothing. What waits or still comes is lost. */
  cut(scope: FaultScope = 'both'): void {
    this.#abandon();
    for (const direction of directionsOf(scope)) this.#receiver(direction).end();
  }

  /** Ends it with an RST; `scope` says who gets one, the other side hears nothing. */
  reset(scope: FaultScope = 'both'): void {
    this.#abandon();
    for (const direction of directionsOf(scope)) resetSocket(this.#receiver(direction));
  }

  /** @internal Dials the target; resolves when connected or refused, which resets the client. */
  admit(target: ProxyTarget): Promise<void> {
    if (this.#state !== 'held') return Promise.resolve();
    this.#state = 'connecting';
    return new Promise((resolve) => {
      this.#target.once('close', resolve);
      this.#target.once('error', () => {
        if (this.#state === 'connecting') resetSocket(this.#client);
      });
      this.#target.connect({ ...target }, () => {
        this.#target.setNoDelay(true);
        if (this.#state === 'connecting') this.#state = 'open';
        for (const lane of Object.values(this.#lanes)) lane.open();
        resolve();
      });
    });
  }

  /** @internal Swallows all that the client says, and answers nothing. */
  blackHole(): void {
    this.#state = 'black-hole';
    this.#lanes.toTarget.abandon();
  }

  /** @internal Leaves nothing behind. */
  destroy(): void {
    this.#abandon();
    this.#client.destroy();
    this.#target.destroy();
  }

  protected override applyFaults(faults: Partial<LinkFaults>, scope: FaultScope): void {
    for (const direction of directionsOf(scope)) this.#lanes[direction].change(faults);
  }

  /** Two parties that have both left without the other's knowledge wait for nothing any more. */
  #noticeLoss(): void {
    if (this.#lanes.toTarget.hasLostSender && this.#lanes.toClient.hasLostSender) this.destroy();
  }

  #abandon(): void {
    for (const lane of Object.values(this.#lanes)) lane.abandon();
  }

  #receiver(direction: FlowDirection): Socket {
    return direction === 'toTarget' ? this.#target : this.#client;
  }

  async #watchEnd(): Promise<void> {
    const clientGone = new Promise<void>((resolve) => this.#client.once('close', () => resolve()));
    const targetGone = new Promise<void>((resolve) => this.#target.once('close', () => resolve()));
    await clientGone;
    // Nobody was dialed: there is no other side that could still be there.
    if (this.#state === 'held' || this.#state === 'black-hole') this.#target.destroy();
    await targetGone;
    this.#state = 'gone';
    this.#abandon();
    for (const counter of Object.values(this.#counters)) counter.end();
  }
}
