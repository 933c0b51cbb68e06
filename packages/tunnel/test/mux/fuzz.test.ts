import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FRAME_TYPE,
  type HostHttpStream,
  type HostSocketStream,
  type TunnelSocket,
} from '../../src/index.ts';
import { type FrameLike, settle } from './support/scripted-channel.ts';
import { GET, OK, openClient, openHost, recordSocket } from './support/tunnels.ts';

const LIMITS = {
  maxStreams: 4,
  unreadHighWaterBytes: 400,
  maxPartialMessageBytes: 300,
  maxControlFrames: 2_000,
};

const payload = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.constantFrom<object>(GET, OK, { path: '/', query: '' }, { code: 1000, reason: '' }, { reason: 'x' }, {}),
  fc.json(),
  fc.constant(new Uint8Array(300)),
);

const frame: fc.Arbitrary<FrameLike> = fc.record({
  type: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...Object.values(FRAME_TYPE)) },
    { weight: 1, arbitrary: fc.nat(127) },
  ),
  streamId: fc.oneof({ weight: 9, arbitrary: fc.nat(12) }, { weight: 1, arbitrary: fc.nat(0xffff_ffff) }),
  payload,
  hasMore: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.boolean() }),
});

/** Something that comes in, or that the program at this end does with one of its streams. */
type Step = { readonly frame: FrameLike } | { readonly act: number; readonly at: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ frame }) },
  { weight: 2, arbitrary: fc.record({ act: fc.nat(9), at: fc.nat(20) }) },
);

describe('whatever comes in', () => {
  it('a Host throws nothing, keeps its limits, and holds nothing in the end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const host = openHost({ limits: LIMITS });
        const listeners: ReturnType<typeof recordSocket>[] = [];
        const open: TunnelSocket[] = [];
        const answered = new Set<unknown>();
        for (const next of steps) {
          if ('frame' in next) host.channel.receive(next.frame);
          else {
            const request = host.requests[next.at % (host.requests.length || 1)];
            const socket = host.sockets[next.at % (host.sockets.length || 1)];
            if (request !== undefined && next.act < 5) actOnRequest(request, next.act, answered);
            else if (socket !== undefined) actOnSocket(socket, next.act, { answered, listeners, open });
          }
          expect(host.tunnel.traffic.openStreams).toBeLessThanOrEqual(LIMITS.maxStreams);
        }
        await settle();
        for (const { type } of host.channel.takeFrames()) {
          expect([2, 3, 4, 5, 7, 8, 9, 10, 12]).toContain(type);
        }
        host.channel.end({ code: 1006, reason: '', cause: 'peer' });
        // Messages that came before a close are still there for whoever paused.
        for (const socket of open) socket.resume();
        await settle();
        expect(host.bugs).toEqual([]);
        expect(host.ends.length).toBe(1);
        expect(host.tunnel.traffic.openStreams).toBe(0);
        expect(host.clock.pendingTimers).toBe(0);
        for (const { closes } of listeners) expect(closes.length).toBe(1);
      }),
      { numRuns: 250 },
    );
  });

  it('a Client throws nothing, and settles every promise in the end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const client = openClient({ limits: LIMITS });
        const streams = [1, 3, 5].map(() => client.tunnel.request(GET));
        const listeners = [7, 9, 11].map(() => recordSocket());
        const openings = listeners.map((listener) =>
          client.tunnel.openSocket({ path: '/', query: '' }, listener),
        );
        for (const next of steps) {
          if ('frame' in next) client.channel.receive(next.frame);
          else actOnAnswer(streams[next.at % 3], next.act);
        }
        client.channel.end({ code: 1006, reason: '', cause: 'peer' });
        await Promise.allSettled(streams.map(({ response }) => response));
        const opened = await Promise.allSettled(openings.map((opening) => opening.opened));
        await settle();
        for (const [index, { closes }] of listeners.entries()) {
          expect(closes.length).toBe(opened[index]?.status === 'fulfilled' ? 1 : 0);
        }
        expect(client.bugs).toEqual([]);
        expect(client.tunnel.traffic.openStreams).toBe(0);
        expect(client.clock.pendingTimers).toBe(0);
      }),
      { numRuns: 250 },
    );
  });

  it('a plaintext of any bytes is taken apart or ends the tunnel with 1011', async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.uint8Array({ maxLength: 60 }), async (isBatching, bytes) => {
        const host = openHost({ isBatching });
        host.channel.deliver(bytes);
        await settle();
        if (host.channel.closed !== undefined) expect(host.channel.closed.end.code).toBe(1011);
        expect(host.bugs).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

function actOnRequest(stream: HostHttpStream, act: number, answered: Set<unknown>): void {
  if (act === 0) void stream.body.read();
  else if (act === 1) stream.body.discard();
  else if (act === 2) stream.abort('no');
  else if (!answered.has(stream)) {
    answered.add(stream);
    const output = stream.respond(OK, act === 3 ? 'prompt' : 'patient');
    output?.write(new Uint8Array(50));
    output?.end();
  }
}

function actOnSocket(
  stream: HostSocketStream,
  act: number,
  facts: { answered: Set<unknown>; listeners: ReturnType<typeof recordSocket>[]; open: TunnelSocket[] },
): void {
  if (act === 5) return stream.abort('no');
  if (facts.answered.has(stream)) return;
  facts.answered.add(stream);
  const listener = recordSocket();
  facts.listeners.push(listener);
  const socket = stream.accept({}, listener);
  facts.open.push(socket);
  socket.send('hello');
  if (act === 6) socket.pause();
  if (act === 7) socket.close(1000, '');
}

function actOnAnswer(
  stream: ReturnType<ReturnType<typeof openClient>['tunnel']['request']> | undefined,
  act: number,
): void {
  if (act < 4) void stream?.body.read();
  else if (act === 4) stream?.body.discard();
  else if (act === 5) stream?.abort('no');
  else if (act === 6) stream?.output.end();
  else stream?.output.write(new Uint8Array(100));
}
