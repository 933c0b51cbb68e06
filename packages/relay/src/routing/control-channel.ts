import { formatControlMessage, type ControlMessage } from '@openchambery/protocol';
import type { RelaySocket } from '../connection/relay-socket.ts';
import type { RelayLimits } from '../limits.ts';

/** What the relay tells one Host, in order and bounded. */
export class ControlChannel {
  readonly socket: RelaySocket;
  readonly #limits: RelayLimits;
  /** Messages the Host has not taken yet; the first #inFlight of them are with the socket. */
  #waiting: string[] = [];
  #waitingBytes = 0;
  #inFlight = 0;

  constructor(socket: RelaySocket, limits: RelayLimits) {
    this.socket = socket;
    this.#limits = limits;
  }

  /** Sends a message, or gives `full` when the Host has let too many wait; then nothing was sent. */
  send(message: ControlMessage): 'sent' | 'full' {
    const text = formatControlMessage(message);
    if (this.#waiting.length === 0) {
      this.socket.wire.sendText(text);
      if (this.socket.wire.waitingBytes === 0) return 'sent';
      this.#inFlight = 1;
    } else if (
      this.#waiting.length >= this.#limits.maxControlQueueEntries ||
      this.#waitingBytes + text.length > this.#limits.maxControlQueuedBytes
    ) {
      return 'full';
    }
    this.#waiting.push(text);
    // Control messages are ASCII.
    this.#waitingBytes += text.length;
    return 'sent';
  }

  /** The Host has taken everything the socket had: it gets what came since. */
  onDrained(): void {
    this.#waiting = this.#waiting.slice(this.#inFlight);
    this.#inFlight = this.#waiting.length;
    this.#waitingBytes = 0;
    for (const text of this.#waiting) {
      this.#waitingBytes += text.length;
      this.socket.wire.sendText(text);
    }
    if (this.socket.wire.waitingBytes > 0) return;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#inFlight = 0;
  }
}
