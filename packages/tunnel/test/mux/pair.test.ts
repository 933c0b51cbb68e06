import { FakeClock } from '@openchambery/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type ClientTunnel,
  createClientTunnel,
  createHostTunnel,
  type HostHttpStream,
  type IncomingBytes,
  type OutgoingBytes,
  StreamError,
  type TunnelLimits,
} from '../../src/index.ts';
import { type LinkedChannel, linkChannels } from './support/linked-channels.ts';
import { settle } from './support/scripted-channel.ts';
import { GET, OK, readAll } from './support/tunnels.ts';

const nothing = (): void => undefined;

/** Small enough that every one of them is met. */
const LIMITS: Partial<TunnelLimits> = {
  streamHighWaterBytes: 40_000,
  totalHighWaterBytes: 150_000,
  channelHighWaterBytes: 70_000,
  unreadHighWaterBytes: 30_000,
};

interface Plan {
  readonly uploadBytes: number;
  readonly downloadBytes: number;
  readonly chunkBytes: number;
  /** Turns that each side takes before it reads on. */
  readonly slowness: number;
  readonly fate: 'whole' | 'aborted-by-client' | 'aborted-by-host' | 'answered-early';
}

const plan: fc.Arbitrary<Plan> = fc.record({
  uploadBytes: fc.oneof(fc.nat(100), fc.nat(150_000)),
  downloadBytes: fc.oneof(fc.nat(100), fc.nat(150_000)),
  chunkBytes: fc.integer({ min: 500, max: 66_000 }),
  slowness: fc.nat(3),
  fate: fc.constantFrom('whole', 'whole', 'aborted-by-client', 'aborted-by-host', 'answered-early'),
});

async function writeAll(output: OutgoingBytes, byteLength: number, { chunkBytes }: Plan): Promise<void> {
  for (let sent = 0; sent < byteLength; ) {
    const chunk = new Uint8Array(Math.min(chunkBytes, byteLength - sent));
    for (let index = 0; index < chunk.length; index += 1) chunk[index] = (sent + index) % 251;
    sent += chunk.length;
    if (!output.write(chunk)) await output.drained();
  }
  output.end();
}

async function readSlowly(body: IncomingBytes, { slowness }: Plan): Promise<number> {
  let length = 0;
  for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) {
    for (const [index, byte] of chunk.entries()) {
      if (byte !== (length + index) % 251) throw new Error('bytes out of order');
    }
    length += chunk.length;
    for (let turn = 0; turn < slowness; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return length;
}

async function serve(stream: HostHttpStream, plan: Plan): Promise<void> {
  const output = stream.respond(OK);
  if (output === undefined) throw new Error('the head fits');
  if (plan.fate === 'answered-early') {
    // Never looks at the upload.
    return writeAll(output, plan.downloadBytes, plan);
  }
  const upload = readSlowly(stream.body, plan);
  if (plan.fate === 'aborted-by-host') {
    output.write(Uint8Array.from({ length: plan.chunkBytes }, (_, index) => index % 251));
    stream.abort('the Host has had enough');
    await upload.catch(nothing);
    return;
  }
  const download = writeAll(output, plan.downloadBytes, plan);
  const [length] = await Promise.all([upload.catch(nothing), download]);
  if (plan.fate === 'whole' && length !== plan.uploadBytes) throw new Error('the upload is not whole');
}

async function ask(client: ClientTunnel, index: number, plan: Plan): Promise<unknown> {
  const stream = client.request({ ...GET, path: `/${index}` });
  const upload = writeAll(stream.output, plan.uploadBytes, plan);
  if (plan.fate === 'aborted-by-client') {
    await new Promise((resolve) => setImmediate(resolve));
    stream.abort('the Client has had enough');
  }
  const result = await stream.response
    .then(() => readSlowly(stream.body, plan))
    .catch((error: unknown) => error);
  await upload;
  return result;
}

function openPair(channels: { client: LinkedChannel; host: LinkedChannel }, plans: readonly Plan[]) {
  const clock = new FakeClock();
  const served: Promise<void>[] = [];
  const host = createHostTunnel(
    { openChannel: channels.host.open, clock, limits: LIMITS },
    {
      onOpen: nothing,
      onClose: nothing,
      onSocket: nothing,
      onRequest: (stream) => {
        const wanted = plans[Number(stream.request.path.slice(1))];
        if (wanted !== undefined) served.push(serve(stream, wanted));
      },
    },
  );
  const client = createClientTunnel(
    { openChannel: channels.client.open, clock, limits: LIMITS },
    { onOpen: nothing, onClose: nothing },
  );
  return { clock, client, host, served };
}

/** Time passes as long as somebody waits. */
async function passTime(clock: FakeClock, work: Promise<unknown>): Promise<void> {
  const state = { isDone: false };
  const finish = (): void => {
    state.isDone = true;
  };
  work.then(finish, finish);
  for (let turn = 0; !state.isDone; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    // Slowly: readers must not count as stalled.
    if (turn % 4 === 0) clock.advance(10);
    if (turn > 200_000) throw new Error('somebody waits for something that does not happen');
  }
}

it('any mix of streams comes to its end: whole or broken as it should be, nothing stuck, nothing kept', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(plan, { minLength: 1, maxLength: 8 }),
      async (isBatching, plans) => {
        const channels = linkChannels({ isBatching });
        const { clock, client, host, served } = openPair(channels, plans);
        const asked = Promise.all(plans.map((wanted, index) => ask(client, index, wanted)));
        await passTime(
          clock,
          asked.then(() => settle()).then(() => Promise.all(served)),
        );
        for (const [index, result] of (await asked).entries()) {
          const wanted = plans[index];
          if (wanted?.fate === 'whole' || wanted?.fate === 'answered-early')
            expect(result).toBe(wanted.downloadBytes);
          else expect(result).toBeInstanceOf(StreamError);
        }
        // Uploads that nobody reads take a second to be dropped.
        const isAtRest = (): boolean =>
          client.traffic.openStreams + host.traffic.openStreams === 0 && channels.host.isReading;
        for (let turn = 0; turn < 400 && !isAtRest(); turn += 1) {
          await settle();
          clock.advance(50);
        }
        expect([client.traffic.openStreams, host.traffic.openStreams]).toEqual([0, 0]);
        expect([channels.client.isReading, channels.host.isReading]).toEqual([true, true]);
        client.close(1000, 'done');
        await settle();
        expect(clock.pendingTimers).toBe(0);
      },
    ),
    { numRuns: 40 },
  );
});

it('a small answer arrives long before big ones that began earlier, over a channel that is full', async () => {
  const channels = linkChannels();
  const arrived: string[] = [];
  const client = createClientTunnel(
    { openChannel: channels.client.open },
    { onOpen: nothing, onClose: nothing },
  );
  createHostTunnel(
    { openChannel: channels.host.open },
    {
      onOpen: nothing,
      onClose: nothing,
      onSocket: nothing,
      onRequest: (stream) => {
        const output = stream.respond(OK);
        output?.write(new Uint8Array(stream.request.path === '/small' ? 1_000 : 200_000));
        output?.end();
      },
    },
  );
  const get = async (path: string): Promise<void> => {
    const stream = client.request({ ...GET, path });
    stream.output.end();
    await readAll(stream.body);
    arrived.push(path);
  };
  const all = Array.from({ length: 100 }, () => get('/big'));
  await settle();
  const before = channels.host.sent.length;
  await get('/small');
  expect(channels.host.sent.length - before).toBeLessThan(20);
  await Promise.all(all);
  expect(arrived.indexOf('/small')).toBeLessThan(10);
});
