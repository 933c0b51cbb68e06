import { HttpConnection } from './http-connection.ts';
import type { RequestSource } from './signed-requests.ts';

/** What drives a target as fast as it answers. */
export interface ClosedLoopOptions {
  readonly port: number;
  /** Requests at a time, each on a connection of its own. */
  readonly concurrency: number;
  readonly source: RequestSource;
}

/** Connections that each send the next request when the last one is answered. Every request is signed just before. */
export class ClosedLoop {
  readonly #source: RequestSource;
  readonly #connections: readonly HttpConnection[];
  readonly #lanes: readonly Promise<void>[];
  #isRunning = true;
  #failure: Error | undefined;
  #requestCount = 0;
  #pushCount = 0;

  private constructor(source: RequestSource, connections: readonly HttpConnection[]) {
    this.#source = source;
    this.#connections = connections;
    this.#lanes = connections.map((connection) => this.#drive(connection));
  }

  static async start({ port, concurrency, source }: ClosedLoopOptions): Promise<ClosedLoop> {
    const opening = Array.from({ length: concurrency }, () => HttpConnection.open(port));
    return new ClosedLoop(source, await Promise.all(opening));
  }

  /** Requests answered. */
  get requestCount(): number {
    return this.#requestCount;
  }

  /** Whether it still sends: it ends by itself when an answer is not as expected. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Pushes that were accepted. */
  get pushCount(): number {
    return this.#pushCount;
  }

  /** Lets what is under way end. Rejects when any answer was not as expected. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#lanes);
    for (const connection of this.#connections) {
      connection.close();
    }
    if (this.#failure !== undefined) {
      throw this.#failure;
    }
  }

  async #drive(connection: HttpConnection): Promise<void> {
    try {
      while (this.#isRunning) {
        const request = this.#source();
        await connection.request(request);
        this.#requestCount += 1;
        this.#pushCount += request.pushCount;
      }
    } catch (error) {
      // Told by `stop`; what goes on meanwhile would mean nothing any more.
      this.#failure ??= error instanceof Error ? error : new Error(String(error));
      this.#isRunning = false;
    }
  }
}

/** Runs `work` beside a closed loop and stops the loop whatever happens; why the loop failed counts more than the rest. */
export async function withClosedLoop<T>(
  options: ClosedLoopOptions,
  work: (loop: ClosedLoop) => Promise<T>,
): Promise<T> {
  const loop = await ClosedLoop.start(options);
  try {
    return await work(loop);
  } finally {
    await loop.stop();
  }
}
