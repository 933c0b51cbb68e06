import { Agent, request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { withTimeout } from '@openchambery/testkit';
import type { HttpResponse, RawSocket, RelayProcess } from '@openchambery/testkit';
import { onTestFinished } from 'vitest';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Whether the request went over a connection that an earlier one had opened. */
  readonly reused: boolean;
}

export interface RequestOptions {
  readonly path: string;
  /** @default GET */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** @default a connection of its own */
  readonly agent?: Agent;
}

/** One HTTP request by Node's own client. */
export function request(relay: RelayProcess, options: RequestOptions): Promise<Answer> {
  const { path, method = 'GET', headers = {}, body, agent = false } = options;
  const answer = new Promise<Answer>((resolve, reject) => {
    const { host, port } = relay;
    const outgoing = httpRequest({ host, port, path, method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: text,
          reused: outgoing.reusedSocket,
        }),
      );
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
  return withTimeout(answer, () => `${method} ${path} is not answered`);
}

/** An agent with one connection that it keeps, as a reverse proxy does. */
export function keepAliveAgent(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, timeout: 600_000 });
  onTestFinished(() => agent.destroy());
  return agent;
}

/** The next response head, or that the relay ended the connection without one. */
export async function responseOrEnd(raw: RawSocket): Promise<HttpResponse | 'ended'> {
  try {
    return await raw.responseHead();
  } catch (error) {
    if (raw.isEnded) return 'ended';
    throw error;
  }
}
