import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeClock, RawSocket, withTimeout } from '@openchambery/testkit';
import { onTestFinished } from 'vitest';
import type { ToWorker } from '../../../src/combined/messages.ts';
import { PushGateway } from '../../../src/combined/push-gateway.ts';
import type { PushLine } from '../../../src/combined/push-gateway.ts';

type Type = ToWorker['type'];
type Of<T extends Type> = Extract<ToWorker, { type: T }>;

/** A line on whose other end the test sits. */
export class ScriptedLine implements PushLine {
  isRunning = true;
  readonly sent: ToWorker[] = [];
  readonly #onSent = new Set<() => void>();

  post(message: ToWorker): void {
    this.sent.push(message);
    for (const check of this.#onSent) check();
  }

  close(): Promise<void> {
    this.isRunning = false;
    return Promise.resolve();
  }

  ofType<T extends Type>(type: T): readonly Of<T>[] {
    return this.sent.filter((message): message is Of<T> => message.type === type);
  }

  /** The `count` messages of a type, once they are there. */
  async received<T extends Type>(type: T, count: number): Promise<readonly Of<T>[]> {
    const complete = new Promise<void>((resolve) => {
      const check = (): void => {
        if (this.ofType(type).length < count) return;
        this.#onSent.delete(check);
        resolve();
      };
      this.#onSent.add(check);
      check();
    });
    await withTimeout(complete, () => `no ${count} messages of type ${type}: ${JSON.stringify(this.sent)}`);
    return this.ofType(type);
  }

  /** The id of the request that came last of `count`. */
  async idOf(count: number): Promise<number> {
    return (await this.received('request', count)).at(-1)?.id ?? -1;
  }
}

/** What may be different in a {@link gatewayScenario}. */
export interface GatewaySetting {
  /** Whether somebody else answers at once. */
  readonly isAnswered?: boolean;
  readonly trustProxy?: 'trust' | 'ignore';
  readonly admits?: (ip: string) => boolean;
}

/** A gateway on a server, with clients that say what they like. */
export async function gatewayScenario(setting: GatewaySetting = {}) {
  const { isAnswered = false, trustProxy = 'trust', admits = () => true } = setting;
  const line = new ScriptedLine();
  const clock = new FakeClock();
  const gateway = new PushGateway({ line, clock, trustProxy, budget: { admits } });
  const server = createServer((request, response) => {
    if (gateway.owns(request)) gateway.handle(request, response);
    else response.writeHead(404).end();
    // As a listener does that has to end a connection.
    if (isAnswered) response.writeHead(418, { 'content-length': 0 }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const connect = async (text: string): Promise<RawSocket> => {
    const socket = await RawSocket.connect({ host: '127.0.0.1', port });
    onTestFinished(() => socket.destroy());
    void socket.write(text);
    return socket;
  };
  return { line, clock, gateway, connect };
}

/** A request with a body, as text. */
export function post(path: string, body: string, headers = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** The answer to all is well; without the id. */
export const OK = {
  type: 'answer',
  status: 200,
  headers: { 'cache-control': 'no-store' },
  body: '{"ok":true}',
} as const;
