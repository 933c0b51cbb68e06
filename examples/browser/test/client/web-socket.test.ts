import type { OriginSocket, TestOrigin } from '@openchambery/testkit';
import { MAX_MESSAGE_BYTES } from '@openchambery/tunnel';
import { describe, expect, it } from 'vitest';
import { shared } from '../../../../apps/tunnel/test/e2e/support/keep.ts';
import { openHarness, TRANSPORTS } from '../support/open-page.ts';
import { testParties } from '../support/parties.ts';

/** The program's end of the WebSocket at that path; those of other tests are passed over. */
async function socketAt(origin: TestOrigin, path: string): Promise<OriginSocket> {
  for (;;) {
    const socket = await origin.nextSocket();
    if (socket.record.path === path) return socket;
  }
}

describe.each(TRANSPORTS)('WebSockets in a browser, over %s', (transport) => {
  const parties = shared(testParties);
  const open = () => openHarness(parties.link, { transport });

  it('exchange texts and bytes, which come as the page wants them', async () => {
    const page = await open();
    const outcome = await page.evaluate(async () => {
      const { socket } = await harness.openSocket('/ws/echo');
      const echo = async (message: string | ArrayBuffer | Uint8Array<ArrayBuffer> | Blob) => {
        const answer = harness.nextMessage(socket);
        socket.send(message);
        return await answer;
      };
      const text = await echo('häll\u{1f600}');
      const first = socket.binaryType;
      const blob = (await echo(new Uint8Array([1, 2, 3, 4]).subarray(1, 3))) as Blob;
      socket.binaryType = 'arraybuffer';
      const buffer = (await echo(new Blob(['of a blob']))) as ArrayBuffer;
      const empty = (await echo(new ArrayBuffer(0))) as ArrayBuffer;
      return {
        text,
        first,
        blob: [blob instanceof Blob, ...new Uint8Array(await blob.arrayBuffer())],
        buffer: [buffer instanceof ArrayBuffer, new TextDecoder().decode(buffer)],
        empty: empty.byteLength,
        bufferedAmount: socket.bufferedAmount,
        isTarget: socket instanceof EventTarget,
        url: new URL(socket.url).pathname,
      };
    });
    expect(outcome).toEqual({
      text: 'häll\u{1f600}',
      first: 'blob',
      blob: [true, 2, 3],
      buffer: [true, 'of a blob'],
      empty: 0,
      bufferedAmount: 0,
      isTarget: true,
      url: '/ws/echo',
    });
  });

  it('carry messages up to the largest there may be, and refuse larger ones', async () => {
    const page = await open();
    const outcome = await page.evaluate(async (most) => {
      const { socket } = await harness.openSocket('/ws/echo');
      socket.binaryType = 'arraybuffer';
      const bytes = new Uint8Array(most);
      for (let at = 0; at < most; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
      const answer = harness.nextMessage(socket);
      socket.send(bytes);
      const isSame = (await harness.sha256((await answer) as ArrayBuffer)) === (await harness.sha256(bytes));
      const long = 'x'.repeat(most);
      const text = harness.nextMessage(socket);
      socket.send(long);
      const isSameText = (await text) === long;
      const errors: unknown[] = [];
      for (const message of [new Uint8Array(most + 1), `${long}x`]) {
        try {
          socket.send(message);
        } catch (error) {
          errors.push((error as Error).name);
        }
      }
      return { isSame, isSameText, errors, readyState: socket.readyState };
    }, MAX_MESSAGE_BYTES);
    expect(outcome).toEqual({
      isSame: true,
      isSameText: true,
      errors: ['RangeError', 'RangeError'],
      readyState: 1,
    });
  });

  it('keep many messages in order, whatever their size', async () => {
    const page = await open();
    const isInOrder = await page.evaluate(async () => {
      const { socket } = await harness.openSocket('/ws/echo');
      const count = 500;
      const seen: string[] = [];
      const all = new Promise<void>((resolve) => {
        socket.addEventListener('message', ({ data }) => {
          seen.push(String(data).split(' ', 1)[0] ?? '');
          if (seen.length === count) resolve();
        });
      });
      for (let index = 0; index < count; index += 1)
        socket.send(`${index} ${'x'.repeat((index * 97) % 5000)}`);
      await all;
      return seen.every((number, index) => number === String(index));
    });
    expect(isInOrder).toBe(true);
  });

  it('choose a subprotocol', async () => {
    const page = await open();
    const protocol = await page.evaluate(async () => {
      const { socket } = await harness.openSocket('/ws/echo', ['no-one', 'second', 'third']);
      return socket.protocol;
    });
    expect(protocol).toBe('second');
  });

  it.each([
    ['with a code and a reason', [3001, 'bye'], { code: 3001, reason: 'bye' }, { code: 3001, reason: 'bye' }],
    ['without a code', [], { code: 1005, reason: '' }, { code: 1000 }],
  ] as readonly [string, [number?, string?], object, object][])(
    'are closed by the page %s',
    async (...row) => {
      const [, args, told, heard] = row;
      const page = await open();
      const closing = page.evaluate(async (given) => {
        const { socket, closed } = await harness.openSocket('/ws/closed-here');
        socket.close(...given);
        const { code, reason, wasClean } = await closed;
        return { code, reason, wasClean, readyState: socket.readyState };
      }, args);
      const end = await socketAt(parties.origin, '/ws/closed-here');
      expect(await closing).toEqual({ ...told, wasClean: true, readyState: 3 });
      expect(await end.closed()).toMatchObject(heard);
    },
  );

  it('tell how the program closed them', async () => {
    const page = await open();
    const closing = page.evaluate(async () => {
      const { closed } = await harness.openSocket('/ws/closed-there');
      const { code, reason, wasClean } = await closed;
      return { code, reason, wasClean };
    });
    const end = await socketAt(parties.origin, '/ws/closed-there');
    end.close(4002, 'the program is done');
    expect(await closing).toEqual({ code: 4002, reason: 'the program is done', wasClean: true });
  });

  it('fail with an error that says why when the program refuses them', async () => {
    const page = await open();
    const outcome = await page.evaluate(async () => {
      const socket = new harness.client.WebSocket('/ws/refuse');
      const events: string[] = [];
      let why: unknown;
      socket.onerror = (event) => {
        events.push('error');
        why = (event as Event & { readonly error?: unknown }).error;
      };
      const { code } = await new Promise<CloseEvent>((resolve) => {
        socket.onclose = resolve;
      });
      return { events, code, why: (why as Error).message };
    });
    expect(outcome).toMatchObject({ events: ['error'], code: 1006 });
    expect(outcome.why).toContain('403');
  });

  it.each([
    ['a fragment', '/ws/echo#x', [], 'SyntaxError'],
    ['another origin', 'wss://example.org/', [], 'SyntaxError'],
    ['a subprotocol twice', '/ws/echo', ['a', 'A'], 'SyntaxError'],
  ] as const)('are not made with %s', async (_what, path, protocols, name) => {
    const page = await open();
    const error = await page.evaluate(
      ([url, names]) => {
        try {
          return new harness.client.WebSocket(url, names).url;
        } catch (failure) {
          return (failure as DOMException).name;
        }
      },
      [path, [...protocols]] as const,
    );
    expect(error).toBe(name);
  });
});
