import type { Logger } from '@openchambery/daemon';
import type { PushRequest, PushService } from '@openchambery/push';
import { describeCrashPlace } from '../cli/crash.ts';
import type { Answer, Body, FromWorker, ToWorker } from './messages.ts';
import { OWN_ANSWERS } from './own-answers.ts';

/** What a {@link WorkerDesk} needs. */
export interface WorkerDeskOptions {
  readonly service: Pick<PushService, 'handle' | 'close'>;
  readonly logger: Logger;
  readonly post: (message: FromWorker) => void;
}

/** A request of the other thread. */
interface Pending {
  /** Set while its body is awaited. */
  onBody?: (body: Body) => void;
}

/** The worker's side of push: makes requests of messages, and messages of answers. */
export class WorkerDesk {
  readonly #options: WorkerDeskOptions;
  readonly #pending = new Map<number, Pending>();

  constructor(options: WorkerDeskOptions) {
    this.#options = options;
  }

  /** Takes a message of the relay's thread. */
  onMessage(message: ToWorker): void {
    switch (message.type) {
      case 'request':
        void this.#answer(message);
        break;
      case 'body':
        this.#pending.get(message.id)?.onBody?.(message.body);
        break;
      case 'gone':
        this.#forget(message.id);
        break;
      case 'ping':
        this.#options.post({ type: 'pong' });
        break;
      case 'close':
        void this.#close();
        break;
    }
  }

  async #answer(message: Extract<ToWorker, { type: 'request' }>): Promise<void> {
    const { service, logger, post } = this.#options;
    const { id, type: _type, ...head } = message;
    this.#pending.set(id, {});
    const request: PushRequest = { ...head, readBody: (maxBytes) => this.#readBody(id, maxBytes) };
    let answer: Answer = OWN_ANSWERS.internal;
    try {
      answer = await service.handle(request);
    } catch (error) {
      logger.error(describeCrashPlace(error), 'a request to push failed');
    }
    // Without an entry nobody waits.
    if (this.#pending.delete(id)) {
      const { status, headers, body } = answer;
      post({ type: 'answer', id, status, headers, body });
    }
  }

  #forget(id: number): void {
    this.#pending.get(id)?.onBody?.('aborted');
    // Without an entry the answer is on its way, and was the last word.
    if (this.#pending.delete(id)) this.#options.post({ type: 'forgotten', id });
  }

  #readBody(id: number, maxBytes: number): Promise<Body> {
    const pending = this.#pending.get(id);
    if (pending === undefined) return Promise.resolve('aborted');
    return new Promise((resolve) => {
      pending.onBody = resolve;
      this.#options.post({ type: 'body-wanted', id, maxBytes });
    });
  }

  async #close(): Promise<void> {
    const { service, logger, post } = this.#options;
    try {
      await service.close();
    } catch (error) {
      logger.error(describeCrashPlace(error), 'push did not close properly');
    }
    post({ type: 'closed' });
  }
}
