import { TestHost } from '../test-host.ts';
import type { HostOptions } from '../test-host.ts';
import type { Peer, PeerOptions } from '../ws-peer.ts';
import { deriveChannelKeys, makeTunnelKeyPair } from './key-schedule.ts';
import type { TunnelKeyPair, TunnelPublicJwk } from './key-schedule.ts';
import { PEER_FRAME } from './peer-frame.ts';
import { TunnelEnd } from './tunnel-end.ts';

/** A Client's first message. */
export interface HelloMessage {
  readonly t: string;
  readonly v: number;
  readonly clientPubJwk: TunnelPublicJwk;
  readonly nonce: string;
  readonly batch?: boolean;
}

export interface AnswerOptions {
  /** Whether batching is offered; it is used only when the Client offers it as well. @default true */
  readonly batch?: boolean | undefined;
  /** Members that are added to `ready`, or take the place of its own. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Head of a request that a Client sent. */
export interface TunnelRequest {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/** A Host's end of one Client's tunnel. */
export class TunnelHostChannel extends TunnelEnd {
  readonly connectionId: string;
  /** Whether a hello that is repeated gets `ready` again. A test may change it. */
  repeatsReady = true;
  readonly #keys: TunnelKeyPair;
  #answered: { readonly hello: string; readonly ready: string } | undefined;

  constructor(connectionId: string, peer: Peer, keys: TunnelKeyPair) {
    super(`Host ${connectionId}`, peer);
    this.connectionId = connectionId;
    this.#keys = keys;
  }

  /** The next hello, with the text it came as. */
  async nextHello(timeoutMs?: number): Promise<HelloMessage & { readonly text: string }> {
    const text = await this.texts.take({
      matches: (candidate) => candidate.includes('"hello"'),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    return { ...(JSON.parse(text) as HelloMessage), text };
  }

  /** Derives the keys and says `ready`. */
  answer(hello: HelloMessage & { readonly text: string }, options: AnswerOptions = {}): void {
    const { batch = true, extra } = options;
    const isBatching = batch && hello.batch === true;
    const nonce = Buffer.from(hello.nonce, 'base64url');
    const keys = deriveChannelKeys(this.#keys.privateKey, hello.clientPubJwk, nonce);
    const ready = JSON.stringify({ t: 'ready', v: 1, ...(isBatching ? { batch: true } : {}), ...extra });
    this.establish({ sendKey: keys.hostToClient, receiveKey: keys.clientToHost, isBatching });
    this.#answered = { hello: hello.text, ready };
    void this.sendRaw(ready);
  }

  /** Waits for a hello and answers it. */
  async handshake(options: AnswerOptions = {}): Promise<this> {
    this.answer(await this.nextHello(), options);
    return this;
  }

  /** The next request's head. */
  async nextRequest(timeoutMs?: number): Promise<TunnelRequest> {
    const { id, payload } = await this.nextFrame({ type: PEER_FRAME.httpRequest, timeoutMs });
    return { id, ...(JSON.parse(payload.toString()) as Omit<TunnelRequest, 'id'>) };
  }

  /** The whole body of request `id`. */
  async readBody(id: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (;;) {
      const { type, payload } = await this.nextFrame({ id });
      if (type === PEER_FRAME.streamEnd) return Buffer.concat(pieces);
      if (type !== PEER_FRAME.httpBody)
        throw new Error(`frame type ${type} within a body: ${payload.toString()}`);
      pieces.push(payload);
    }
  }

  /** Answers request `id` all at once. */
  respond(
    id: number,
    head: { readonly status: number; readonly headers?: object },
    body?: string | Buffer,
  ): void {
    void this.sendFrame(PEER_FRAME.httpResponse, id, { headers: {}, ...head });
    if (body !== undefined && body.length > 0) void this.sendFrame(PEER_FRAME.httpBody, id, body);
    void this.sendFrame(PEER_FRAME.streamEnd, id);
  }

  protected override onText(text: string): void {
    const answered = this.#answered;
    if (this.repeatsReady && answered?.hello === text) void this.sendRaw(answered.ready);
  }
}

export interface TunnelHostOptions extends HostOptions {
  /** @default a fresh one */
  readonly encryption?: TunnelKeyPair | undefined;
}

/** A Host of the other make: a control socket, and a tunnel for each Client that comes. */
export class TunnelTestHost {
  readonly relaySide: TestHost;
  readonly encryption: TunnelKeyPair;

  constructor(relaySide: TestHost, encryption: TunnelKeyPair) {
    this.relaySide = relaySide;
    this.encryption = encryption;
  }

  /** A Host that the relay knows. @param url the relay's WebSocket URL without a query. */
  static async connect(url: string, options: TunnelHostOptions = {}): Promise<TunnelTestHost> {
    const relaySide = await TestHost.connect(url, options);
    return new TunnelTestHost(relaySide, options.encryption ?? makeTunnelKeyPair());
  }

  get serverId(): string {
    return this.relaySide.serverId;
  }

  /** What Clients must know. */
  get hostEncPubJwk(): TunnelPublicJwk {
    return this.encryption.publicJwk;
  }

  /** The next Client that the relay announces, with an open data socket and no handshake yet. */
  async accept(options: PeerOptions = {}): Promise<TunnelHostChannel> {
    const connectionId = await this.relaySide.nextId('connected');
    const peer = await this.relaySide.attach(connectionId, {}, options);
    return new TunnelHostChannel(connectionId, peer, this.encryption);
  }

  /** The next Client, its channel established. */
  async channel(options: AnswerOptions = {}): Promise<TunnelHostChannel> {
    return (await this.accept()).handshake(options);
  }

  /** Closes the control socket; tunnels close on their own. */
  close(): void {
    this.relaySide.control.close();
  }
}
