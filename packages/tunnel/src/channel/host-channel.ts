import type { ImportAeadKey } from '../cipher/aead.ts';
import { IV_PREFIX_BYTES } from '../cipher/sealed-frame.ts';
import { webCryptoAeadKey } from '../cipher/web-crypto-aead.ts';
import { type Clock, systemClock, type Timer } from '../clock.ts';
import type { EncryptionKeys } from '../handshake/encryption-keys.ts';
import { formatReady, type Hello } from '../handshake/handshake-message.ts';
import { HostHandshake } from '../handshake/host-handshake.ts';
import { deriveSessionKeys } from '../handshake/key-schedule.ts';
import type { SpentHellos } from '../handshake/spent-hellos.ts';
import { HELLO } from '../limits.ts';
import { type RandomBytes, systemRandomBytes } from '../random-bytes.ts';
import { type ChannelSide, type LinkKeys, SealedLink } from './sealed-link.ts';
import type { ChannelListener, SecureChannel } from './secure-channel.ts';
import type { TransportEnd, TunnelTransport } from './transport.ts';

/** What a Host's end of a channel is made of. */
export interface HostChannelOptions {
  readonly transport: TunnelTransport;
  readonly encryptionKeys: EncryptionKeys;
  readonly clock?: Clock | undefined;
  /** @default WebCrypto */
  readonly importAeadKey?: ImportAeadKey | undefined;
  /** @default true */
  readonly offersBatching?: boolean | undefined;
  /** For the IV. @default crypto.getRandomValues */
  readonly random?: RandomBytes | undefined;
  /** Shared by all channels of a Host, so that none can be played to it twice. @default replays are not noticed */
  readonly spentHellos?: SpentHellos | undefined;
}

/** With more than this on its way to a Client, which has not heard the first ready then, none is added: in bytes. */
const MAX_READY_BACKLOG_BYTES = 4096;

/** Opens a Host's end: waits for one hello, 30 s at most, and answers it as often as it is said. */
export function openHostChannel(options: HostChannelOptions, listener: ChannelListener): SecureChannel {
  const link: SealedLink = new SealedLink(options.transport, {
    onEstablished: (facts) => listener.onEstablished(facts),
    onPlaintext: (plaintext) => {
      if (side.isFirstUse()) listener.onPlaintext(plaintext);
    },
    onDrain: () => listener.onDrain(),
    onClose: (end) => listener.onClose(end),
  });
  const side = new HostSide(options, link);
  link.start(side);
  return link;
}

class HostSide implements ChannelSide {
  readonly #options: HostChannelOptions;
  readonly #link: SealedLink;
  readonly #offersBatching: boolean;
  readonly #handshake = new HostHandshake();
  readonly #giveUp: Timer;
  #readyText: string | undefined;
  /** Until the first plaintext has shown that the Client knows whom it speaks to. */
  #unspent: Hello | undefined;

  constructor(options: HostChannelOptions, link: SealedLink) {
    this.#options = options;
    this.#link = link;
    this.#offersBatching = options.offersBatching ?? true;
    this.#giveUp = (options.clock ?? systemClock).setTimer(() => this.#onNoHello(), HELLO.giveUpMs);
  }

  onText(text: string): void {
    const step = this.#handshake.onText(text);
    switch (step.action) {
      case 'ignore':
        return;
      case 'derive':
        this.#derive(step.hello);
        return;
      case 'answer-again':
        this.#answerAgain();
        return;
      case 'fail':
        this.#link.fail(step.fault);
    }
  }

  refuseCiphertext(): TransportEnd | undefined {
    return this.#handshake.onCiphertext();
  }

  stop(): void {
    this.#giveUp.cancel();
  }

  /** Whether nobody else has used the keys of this channel; if not, that is its end. To be asked for each plaintext. */
  isFirstUse(): boolean {
    const hello = this.#unspent;
    if (hello === undefined) return true;
    this.#unspent = undefined;
    if (this.#options.spentHellos?.spend(hello) !== false) return true;
    this.#link.fail({ code: 1008, reason: 'a hello that was used before' });
    return false;
  }

  /** Whoever says hello on and on without reading the answers must not fill the memory with them. */
  #answerAgain(): void {
    const isRoom = this.#options.transport.bufferedBytes <= MAX_READY_BACKLOG_BYTES;
    if (isRoom && this.#readyText !== undefined) this.#link.sendText(this.#readyText);
  }

  #derive(hello: Hello): void {
    this.#agree(hello).then(
      (keys) => this.#establish(keys, hello),
      () => this.#link.fail({ code: 1011, reason: 'no keys could be agreed on' }),
    );
  }

  async #agree({ clientPubJwk, nonce, offersBatching }: Hello): Promise<LinkKeys> {
    const { encryptionKeys, importAeadKey = webCryptoAeadKey, random = systemRandomBytes } = this.#options;
    const agreement = { privateKey: encryptionKeys.privateKey, peerPublicJwk: clientPubJwk, nonce };
    const { clientToHost, hostToClient } = await deriveSessionKeys(agreement);
    return {
      sendKey: await importAeadKey(hostToClient),
      receiveKey: await importAeadKey(clientToHost),
      ivPrefix: random(IV_PREFIX_BYTES),
      isBatching: offersBatching && this.#offersBatching,
    };
  }

  /** When the channel has ended meanwhile, nothing of this goes anywhere. */
  #establish(keys: LinkKeys, hello: Hello): void {
    this.#giveUp.cancel();
    this.#unspent = hello;
    this.#handshake.establish();
    this.#readyText = formatReady(keys.isBatching);
    // First, because what the listener sends must come behind it.
    this.#link.sendText(this.#readyText);
    this.#link.establish(keys);
  }

  #onNoHello(): void {
    this.#link.end({ code: 1001, reason: 'no hello in time', cause: 'handshake-timeout' });
  }
}
