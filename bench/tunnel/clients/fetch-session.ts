import { SMALL_BYTES, sinceLastDrop } from '../parties/origin-answers.ts';
import { BodyCounter, partAt } from '../pattern.ts';
import type { Session } from './session.ts';

/** Requests by a function that is `fetch`. */
export class FetchSession implements Session {
  readonly #fetch: typeof fetch;
  readonly #base: string;

  /** @param base what paths are put behind */
  constructor(fetchIt: typeof fetch, base: string) {
    this.#fetch = fetchIt;
    this.#base = base;
  }

  async download(bytes: number): Promise<void> {
    const response = await this.#fetch(`${this.#base}/bytes/${bytes}`);
    const counter = new BodyCounter();
    if (response.body === null) throw new Error('an answer has no body');
    for await (const chunk of response.body) counter.add(chunk);
    expectCount(counter.bytes, bytes);
  }

  async upload(bytes: number): Promise<void> {
    const init = { method: 'PUT', body: streamOf(bytes), duplex: 'half' } as const;
    const response = await this.#fetch(`${this.#base}/sink`, init);
    expectCount(Number(await response.text()), bytes);
  }

  async small(): Promise<void> {
    const response = await this.#fetch(`${this.#base}/small`);
    expectCount((await response.arrayBuffer()).byteLength, SMALL_BYTES);
  }

  async drops(): Promise<number> {
    const response = await this.#fetch(`${this.#base}/drops`);
    return sinceLastDrop(Buffer.from(await response.arrayBuffer()));
  }
}

function streamOf(bytes: number): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      const part = partAt(sent, bytes);
      sent += part.length;
      controller.enqueue(part);
      if (sent === bytes) controller.close();
    },
  });
}

/** Throws unless a body was complete. */
export function expectCount(counted: number, bytes: number): void {
  if (counted !== bytes) throw new Error(`of ${bytes} bytes ${counted} came`);
}
