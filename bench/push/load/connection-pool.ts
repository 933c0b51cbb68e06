import { HttpConnection } from './http-connection.ts';
import type { SignedRequest } from './signed-requests.ts';

/** Open connections to one target; a request takes one that is free or waits for it. */
export class ConnectionPool {
  readonly #connections: readonly HttpConnection[];
  readonly #free: HttpConnection[];
  readonly #waiting: ((connection: HttpConnection) => void)[] = [];

  private constructor(connections: readonly HttpConnection[]) {
    this.#connections = connections;
    this.#free = [...connections];
  }

  static async open(port: number, size: number): Promise<ConnectionPool> {
    return new ConnectionPool(
      await Promise.all(Array.from({ length: size }, () => HttpConnection.open(port))),
    );
  }

  async request(request: SignedRequest): Promise<void> {
    const connection = this.#free.pop() ?? (await this.#turn());
    await connection.request(request);
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#free.push(connection);
    } else {
      next(connection);
    }
  }

  close(): void {
    for (const connection of this.#connections) {
      connection.close();
    }
  }

  #turn(): Promise<HttpConnection> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
