import { FAULT, type HandshakeFault } from './handshake-fault.ts';
import { parseHandshakeMessage } from './handshake-message.ts';

/** Where a Client stands in the handshake. Its keys are made before the first hello. */
export type ClientHandshakeState =
  | { readonly name: 'preparing' }
  /** Says hello every second. */
  | { readonly name: 'awaiting-ready' }
  | { readonly name: 'established'; readonly isBatching: boolean };

/** What a Client does about a text. */
export type ClientHandshakeStep =
  | { readonly action: 'ignore' }
  | { readonly action: 'establish'; readonly isBatching: boolean }
  | { readonly action: 'fail'; readonly fault: HandshakeFault };

const IGNORE: ClientHandshakeStep = { action: 'ignore' };

/** The Client's side: says hello until it is answered. */
export class ClientHandshake {
  readonly #offersBatching: boolean;
  #state: ClientHandshakeState = { name: 'preparing' };

  constructor(offersBatching: boolean) {
    this.#offersBatching = offersBatching;
  }

  get isEstablished(): boolean {
    return this.#state.name === 'established';
  }

  /** The keys are there, and the hello goes out. */
  begin(): void {
    if (this.#state.name !== 'preparing') throw new Error(`the hello was said before: ${this.#state.name}`);
    this.#state = { name: 'awaiting-ready' };
  }

  /** Takes a text of the Host. */
  onText(text: string): ClientHandshakeStep {
    const message = parseHandshakeMessage(text);
    const isMalformed = message?.type === 'malformed' && message.claims === 'ready';
    switch (this.#state.name) {
      case 'preparing':
        // Nothing was asked, so nothing can be an answer.
        return IGNORE;
      case 'awaiting-ready':
        if (isMalformed) return fail(FAULT.malformedReady);
        return message?.type === 'ready' ? this.#onReady(message.isBatching) : IGNORE;
      case 'established':
        // Hellos that crossed the ready are answered one by one, all alike.
        if (message?.type === 'ready' && this.#agrees(message.isBatching) === this.#state.isBatching)
          return IGNORE;
        return fail(isMalformed ? FAULT.malformedReady : FAULT.plaintext);
    }
  }

  /** Takes a binary message. */
  onCiphertext(): HandshakeFault | undefined {
    return this.isEstablished ? undefined : FAULT.earlyCiphertext;
  }

  #onReady(saysBatching: boolean): ClientHandshakeStep {
    const isBatching = this.#agrees(saysBatching);
    this.#state = { name: 'established', isBatching };
    return { action: 'establish', isBatching };
  }

  /** Only what both have offered counts. */
  #agrees(saysBatching: boolean): boolean {
    return saysBatching && this.#offersBatching;
  }
}

function fail(fault: HandshakeFault): ClientHandshakeStep {
  return { action: 'fail', fault };
}
