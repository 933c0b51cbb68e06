import type {
  HostHttpStream,
  HostSocketStream,
  HostStreamHandlers,
  TunnelSocket,
} from '@openchambery/tunnel';

/** Answers by path. */
export type Answer = (stream: HostHttpStream) => Promise<void>;

async function readAll({ body }: HostHttpStream): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The request itself, as JSON. */
async function mirror(stream: HostHttpStream): Promise<void> {
  const body = await readAll(stream);
  const output = stream.respond({ status: 200, headers: { 'content-type': 'application/json' } });
  output?.write(Buffer.from(JSON.stringify({ ...stream.request, body: body.toString() })));
  output?.end();
}

/** The body, as it comes. */
async function echo(stream: HostHttpStream): Promise<void> {
  const output = stream.respond({ status: 200, headers: {} }, 'prompt');
  for (let chunk = await stream.body.read(); chunk !== undefined; chunk = await stream.body.read()) {
    if (output?.write(chunk) === false) await output.drained();
  }
  output?.end();
}

/** As many zeros as the query says. */
async function zeros(stream: HostHttpStream): Promise<void> {
  const output = stream.respond({ status: 200, headers: {} });
  const piece = new Uint8Array(65_536);
  for (let left = Number(stream.request.query); left > 0 && !stream.signal.aborted; left -= piece.length) {
    if (output?.write(piece.subarray(0, Math.min(left, piece.length))) === false) await output.drained();
  }
  output?.end();
}

/** Echoes every message; `close` closes with 3000. */
function openEcho(stream: HostSocketStream): void {
  const { protocols = [] } = stream.request;
  const socket: TunnelSocket = stream.accept(
    { protocol: protocols[0] },
    {
      onMessage: (message) => {
        if (message === 'close') socket.close(3000, 'as you wish');
        else socket.send(message);
      },
      onDrain: () => undefined,
      onClose: () => undefined,
    },
  );
}

const ANSWERS: Readonly<Record<string, Answer>> = { '/mirror': mirror, '/echo': echo, '/zeros': zeros };

/** What a Host of these tests serves. @param more answers by path, and what was asked for so far. */
export function echoHandlers(more: Readonly<Record<string, Answer>> = {}): HostStreamHandlers {
  const answers = { ...ANSWERS, ...more };
  return {
    onRequest: (stream) => {
      const answer = answers[stream.request.path];
      if (answer === undefined) stream.respond({ status: 404, headers: {} })?.end();
      // A stream that broke has told the Client already.
      else answer(stream).catch(() => undefined);
    },
    onSocket: (stream) => {
      if (stream.request.path === '/refused') stream.abort('not here');
      else openEcho(stream);
    },
  };
}
