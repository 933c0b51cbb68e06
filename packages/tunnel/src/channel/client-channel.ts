import type { PublicJwk } from '@openchambery/protocol';
import type { AeadKey, ImportAeadKey } from '../cipher/aead.ts';
import { IV_PREFIX_BYTES } from '../cipher/sealed-frame.ts';
import { webCryptoAeadKey } from '../cipher/web-crypto-aead.ts';
import { type Clock, systemClock, type Timer } from '../clock.ts';
import { ClientHandshake } from '../handshake/client-handshake.ts';
import { createEphemeralKeys, type EncryptionKeys } from '../handshake/encryption-keys.ts';
import { formatHello, NONCE_BYTES } from '../handshake/handshake-message.ts';
import { deriveSessionKeys } from '../handshake/key-schedule.ts';
import { HELLO } from '../limits.ts';
import { type RandomBytes, systemRandomBytes } from '../random-bytes.ts';
import { type ChannelSide, SealedLink } from './sealed-link.ts';
import type { ChannelListener, SecureChannel } from './secure-channel.ts';
import type { TransportEnd, TunnelTransport } from './transport.ts';

/** What a Client's end of a channel is made of. */
export interface ClientChannelOptions {
  readonly transport: TunnelTransport;
  /** The trust anchor. */
  readonly hostEncPubJwk: PublicJwk;
  readonly clock?: Clock | undefined;
  /** @default WebCrypto */
  readonly importAeadKey?: ImportAeadKey | undefined;
  /** @default true */
  readonly offersBatching?: boolean | undefined;
  /** For the nonce and the IV. @default crypto.getRandomValues */
  readonly random?: RandomBytes | undefined;
  /** The key pair for this connection alone. @default a new one */
  readonly createKeys?: (() => Promise<EncryptionKeys>) | undefined;
}

/** Opens a Client's end: says hello until the Host answers, and gives up after 30 s with cause `handshake-timeout`. */
export function openClientChannel(options: ClientChannelOptions, listener: ChannelListener): SecureChannel {
  const link = new SealedLink(options.transport, listener);
  const side = new ClientSide(options, link);
  link.start(side);
  side.begin();
  return link;
}

/** Made before the first hello, so that nothing has to wait between the ready and the first ciphertext. */
interface Prepared {
  readonly helloText: string;
  readonly sendKey: AeadKey;
  readonly receiveKey: AeadKey;
}

class ClientSide implements ChannelSide {
  readonly #options: ClientChannelOptions;
  readonly #link: SealedLink;
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  readonly #offersBatching: boolean;
  readonly #handshake: ClientHandshake;
  #prepared: Prepared | undefined;
  #repeat: Timer | undefined;
  #giveUp: Timer | undefined;

  constructor(options: ClientChannelOptions, link: SealedLink) {
    this.#options = options;
    this.#link = link;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandomBytes;
    this.#offersBatching = options.offersBatching ?? true;
    this.#handshake = new ClientHandshake(this.#offersBatching);
  }

  begin(): void {
    this.#prepare().then(
      (prepared) => this.#sayHello(prepared),
      () => this.#link.fail({ code: 1011, reason: 'no keys could be agreed on' }),
    );
  }

  onText(text: string): void {
    const step = this.#handshake.onText(text);
    if (step.action === 'fail') this.#link.fail(step.fault);
    else if (step.action === 'establish') this.#establish(step.isBatching);
  }

  refuseCiphertext(): TransportEnd | undefined {
    return this.#handshake.onCiphertext();
  }

  stop(): void {
    this.#repeat?.cancel();
    this.#giveUp?.cancel();
    this.#prepared = undefined;
  }

  async #prepare(): Promise<Prepared> {
    const {
      hostEncPubJwk,
      createKeys = createEphemeralKeys,
      importAeadKey = webCryptoAeadKey,
    } = this.#options;
    const keys = await createKeys();
    const nonce = this.#random(NONCE_BYTES);
    const agreement = { privateKey: keys.privateKey, peerPublicJwk: hostEncPubJwk, nonce };
    const { clientToHost, hostToClient } = await deriveSessionKeys(agreement);
    const offersBatching = this.#offersBatching;
    return {
      helloText: formatHello({ clientPubJwk: keys.publicJwk, nonce, offersBatching }),
      sendKey: await importAeadKey(clientToHost),
      receiveKey: await importAeadKey(hostToClient),
    };
  }

  #sayHello(prepared: Prepared): void {
    if (this.#link.isOver) return;
    this.#prepared = prepared;
    this.#handshake.begin();
    this.#giveUp = this.#clock.setTimer(() => this.#onNoAnswer(), HELLO.giveUpMs);
    this.#sayHelloUntilAnswered(prepared.helloText);
  }

  #sayHelloUntilAnswered(text: string): void {
    this.#repeat = this.#clock.setTimer(() => this.#sayHelloUntilAnswered(text), HELLO.repeatMs);
    this.#link.sendText(text);
  }

  #onNoAnswer(): void {
    this.#link.end({ code: 1001, reason: 'no answer to the hello', cause: 'handshake-timeout' });
  }

  #establish(isBatching: boolean): void {
    const prepared = this.#prepared;
    if (prepared === undefined) throw new Error('there was no hello to answer');
    this.stop();
    const { sendKey, receiveKey } = prepared;
    this.#link.establish({ sendKey, receiveKey, ivPrefix: this.#random(IV_PREFIX_BYTES), isBatching });
  }
}
