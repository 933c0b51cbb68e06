import { FAULT, type HandshakeFault } from './handshake-fault.ts';
import { type Hello, isSameHello, parseHandshakeMessage } from './handshake-message.ts';

/** Where a Host stands in the handshake. */
export type HostHandshakeState =
  | { readonly name: 'awaiting-hello' }
  /** Makes keys for this hello; the ready follows. */
  | { readonly name: 'deriving'; readonly hello: Hello; readonly text: string }
  | { readonly name: 'established'; readonly hello: Hello; readonly text: string };

/** What a Host does about a text. */
export type HostHandshakeStep =
  | { readonly action: 'ignore' }
  | { readonly action: 'derive'; readonly hello: Hello }
  | { readonly action: 'answer-again' }
  | { readonly action: 'fail'; readonly fault: HandshakeFault };

const IGNORE: HostHandshakeStep = { action: 'ignore' };
const ANSWER_AGAIN: HostHandshakeStep = { action: 'answer-again' };

/** The Host's side: waits for one hello, and keeps to it. */
export class HostHandshake {
  #state: HostHandshakeState = { name: 'awaiting-hello' };

  get isEstablished(): boolean {
    return this.#state.name === 'established';
  }

  /** Takes a text of the Client. A caller that is told to derive calls {@link establish} afterwards. */
  onText(text: string): HostHandshakeStep {
    // Said over and over; looking at its key anew would cost more than anything else that a Client can send.
    if (this.#state.name === 'established' && text === this.#state.text) return ANSWER_AGAIN;
    const message = parseHandshakeMessage(text);
    if (message?.type === 'hello') return this.#onHello(message.hello, text);
    if (message?.type === 'malformed' && message.claims === 'hello') return fail(FAULT.malformedHello);
    return this.isEstablished ? fail(FAULT.plaintext) : IGNORE;
  }

  /** Takes a binary message. A Client has no reason to send one before it has heard the ready. */
  onCiphertext(): HandshakeFault | undefined {
    return this.isEstablished ? undefined : FAULT.earlyCiphertext;
  }

  /** The keys are there. */
  establish(): void {
    if (this.#state.name !== 'deriving') throw new Error(`no keys were asked for: ${this.#state.name}`);
    this.#state = { ...this.#state, name: 'established' };
  }

  #onHello(hello: Hello, text: string): HostHandshakeStep {
    switch (this.#state.name) {
      case 'awaiting-hello':
        this.#state = { name: 'deriving', hello, text };
        return { action: 'derive', hello };
      case 'deriving':
        // The ready that is under way answers both.
        return isSameHello(hello, this.#state.hello) ? IGNORE : fail(FAULT.anotherHello);
      case 'established':
        return isSameHello(hello, this.#state.hello) ? ANSWER_AGAIN : fail(FAULT.anotherHello);
    }
  }
}

function fail(fault: HandshakeFault): HostHandshakeStep {
  return { action: 'fail', fault };
}
