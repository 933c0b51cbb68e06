import { randomBytes } from 'node:crypto';
import { TestClient } from '../test-host.ts';
import type { Peer, PeerOptions } from '../ws-peer.ts';
import { deriveChannelKeys, makeTunnelKeyPair } from './key-schedule.ts';
import type { TunnelKeyPair, TunnelPublicJwk } from './key-schedule.ts';
import { PEER_FRAME } from './peer-frame.ts';
import { TunnelEnd } from './tunnel-end.ts';

/** What a Client has learned out of band. */
export interface TunnelPairing {
  /** The relay's WebSocket URL without a query. */
  readonly relayUrl: string;
  readonly serverId: string;
  readonly hostEncPubJwk: TunnelPublicJwk;
}

export interface TunnelClientOptions extends PeerOptions {
  /** @default a fresh one */
  readonly keys?: TunnelKeyPair | undefined;
  /** 16 bytes. @default random */
  readonly nonce?: Buffer | undefined;
}

export interface HelloOptions {
  /** Whether batching is offered. @default true */
  readonly batch?: boolean | undefined;
  /** Members that are added, or take the place of the hello's own. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** A request to send; the body in one piece or several. */
export interface TunnelRequestInput {
  /** @default 'GET' */
  readonly method?: string | undefined;
  readonly path: string;
  /** Without `?`. @default '' */
  readonly query?: string | undefined;
  /** @default {} */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** @default none */
  readonly body?: readonly (string | Buffer)[] | undefined;
}

/** What came back for a request. */
export interface TunnelAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/** A Client of the other make. */
export class TunnelTestClient extends TunnelEnd {
  readonly keys: TunnelKeyPair;
  readonly nonce: Buffer;
  readonly #pairing: TunnelPairing;
  #lastId = -1;

  constructor(pairing: TunnelPairing, peer: Peer, options: TunnelClientOptions = {}) {
    super('Client', peer);
    this.#pairing = pairing;
    this.keys = options.keys ?? makeTunnelKeyPair();
    this.nonce = options.nonce ?? randomBytes(16);
  }

  /** A Client with an open socket and no handshake yet. */
  static async dial(pairing: TunnelPairing, options: TunnelClientOptions = {}): Promise<TunnelTestClient> {
    const peer = await TestClient.connect(pairing.relayUrl, pairing.serverId, options);
    return new TunnelTestClient(pairing, peer, options);
  }

  /** A Client whose channel is established. */
  static async connect(
    pairing: TunnelPairing,
    options: TunnelClientOptions & HelloOptions = {},
  ): Promise<TunnelTestClient> {
    return (await TunnelTestClient.dial(pairing, options)).handshake(options);
  }

  /** The text of this Client's hello. */
  helloText(options: HelloOptions = {}): string {
    const { batch = true, extra } = options;
    return JSON.stringify({
      t: 'hello',
      v: 1,
      clientPubJwk: this.keys.publicJwk,
      nonce: this.nonce.toString('base64url'),
      ...(batch ? { batch: true } : {}),
      ...extra,
    });
  }

  /** The next `ready`, which establishes the channel. */
  async nextReady(timeoutMs?: number): Promise<Readonly<Record<string, unknown>>> {
    const text = await this.texts.take(timeoutMs === undefined ? {} : { timeoutMs });
    const ready = JSON.parse(text) as Record<string, unknown>;
    if (ready['t'] !== 'ready') throw new Error(`expected ready, got ${text}`);
    return ready;
  }

  /** Says hello once and waits for `ready`. */
  async handshake(options: HelloOptions = {}): Promise<this> {
    await this.sendRaw(this.helloText(options));
    await this.nextReady();
    return this;
  }

  /** The next odd id. */
  takeId(): number {
    this.#lastId += 2;
    return this.#lastId;
  }

  /** Sends a request, body and end included. Gives its id. */
  ask(request: TunnelRequestInput): number {
    const { method = 'GET', path, query = '', headers = {}, body = [] } = request;
    const id = this.takeId();
    void this.sendFrame(PEER_FRAME.httpRequest, id, { method, path, query, headers });
    for (const piece of body) void this.sendFrame(PEER_FRAME.httpBody, id, piece);
    void this.sendFrame(PEER_FRAME.streamEnd, id);
    return id;
  }

  /** The whole answer to request `id`; rejects when it is aborted. */
  async answerTo(id: number): Promise<TunnelAnswer> {
    const first = await this.nextFrame({ id });
    if (first.type !== PEER_FRAME.httpResponse) throw unexpected(first.type, first.payload);
    const head = JSON.parse(first.payload.toString()) as Omit<TunnelAnswer, 'body'>;
    const pieces: Buffer[] = [];
    for (;;) {
      const { type, payload } = await this.nextFrame({ id });
      if (type === PEER_FRAME.streamEnd) return { ...head, body: Buffer.concat(pieces) };
      if (type !== PEER_FRAME.httpBody) throw unexpected(type, payload);
      pieces.push(payload);
    }
  }

  /** Asks and waits for the whole answer. */
  request(request: TunnelRequestInput): Promise<TunnelAnswer> {
    return this.answerTo(this.ask(request));
  }

  protected override onText(text: string): void {
    if (this.isEstablished || !text.includes('"ready"')) return;
    const { batch } = JSON.parse(text) as { readonly batch?: unknown };
    const keys = deriveChannelKeys(this.keys.privateKey, this.#pairing.hostEncPubJwk, this.nonce);
    this.establish({
      sendKey: keys.clientToHost,
      receiveKey: keys.hostToClient,
      isBatching: batch === true,
    });
  }
}

function unexpected(type: number, payload: Buffer): Error {
  return new Error(`frame type ${type} within an answer: ${payload.toString().slice(0, 200)}`);
}
