import { once } from 'node:events';
import { request } from 'node:http';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';

/** Sends a request and waits for the head of its answer. */
export async function ask(url: string, options: RequestOptions = {}): Promise<IncomingMessage> {
  const sent = request(url, options);
  sent.end();
  return headOf(sent);
}

/** Waits for the head of an answer; what breaks later is the answer's own affair. */
export async function headOf(sent: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  sent.on('error', () => undefined);
  return answer;
}

/** All of an answer. */
export async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += String(chunk);
  return text;
}
