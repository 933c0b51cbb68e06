import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

const STORY =
  'Somewhere at home a program writes one word after the other, and each of them goes out into the world by itself: ' +
  'encrypted at home, passed on by a relay that cannot read it, and put on your screen the moment it comes.';

const PAUSE_MS = 60;

/** Server-sent events: a word each, as a JSON string. */
export async function answerStream(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  for (const word of STORY.split(' ')) {
    if (gone.signal.aborted || request.destroyed) return;
    response.write(`data: ${JSON.stringify(`${word} `)}\n\n`);
    await wait(PAUSE_MS);
  }
  response.end();
}
