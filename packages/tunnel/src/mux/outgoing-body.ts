import { FRAME_TYPE } from '../frame/frame-type.ts';
import { createDeferred, type Deferred } from './deferred.ts';
import type { Lane } from './outbox/lane.ts';
import type { StreamLife } from './stream-life.ts';
import type { OutgoingBytes, Urgency } from './streams.ts';

const NOTHING = new Uint8Array(0);

/** What a body is written to. */
export interface OutgoingBodyParts {
  readonly streamId: number;
  readonly lane: Lane;
  readonly life: StreamLife;
  readonly urgency: Urgency;
  /** Called when this side has ended. */
  readonly onEnd: () => void;
}

/** The sending side of a body. */
export class OutgoingBody implements OutgoingBytes {
  readonly #parts: OutgoingBodyParts;
  #isEnded = false;
  #relief: Deferred<void> | undefined;

  constructor(parts: OutgoingBodyParts) {
    this.#parts = parts;
  }

  write(chunk: Uint8Array, onCopied?: () => void): boolean {
    const { lane, streamId, urgency } = this.#parts;
    if (this.#isShut) return true;
    if (chunk.length === 0) return !lane.isFull;
    return lane.push({
      type: FRAME_TYPE.httpBody,
      streamId,
      bytes: chunk,
      isUrgent: urgency === 'prompt',
      onCopied,
    });
  }

  drained(): Promise<void> {
    const { lane } = this.#parts;
    if (this.#isShut || !lane.isFull) return Promise.resolve();
    this.#relief ??= createDeferred<void>();
    lane.awaitRelief();
    return this.#relief.promise;
  }

  end(): void {
    if (this.#isShut) return;
    this.#isEnded = true;
    const { lane, streamId, life, onEnd } = this.#parts;
    lane.push({ type: FRAME_TYPE.streamEnd, streamId, bytes: NOTHING, isUrgent: true });
    this.relieve();
    life.endSending();
    onEnd();
  }

  /** The lane takes more, or nothing ever again. */
  relieve(): void {
    this.#relief?.resolve();
    this.#relief = undefined;
  }

  get #isShut(): boolean {
    return this.#isEnded || !this.#parts.life.maySend;
  }
}
