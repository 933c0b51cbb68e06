import { describe, expect, it } from 'vitest';
import { type Links, startNetwork } from './support/network.ts';
import { download, upload, whole } from './support/transfer.ts';

const LINKS = ['client', 'host', 'origin'] as const satisfies readonly (keyof Links)[];
const BYTES = 2 * 1024 * 1024;

describe.each(LINKS)('the link of the %s', (name) => {
  it('may be slow to answer', async () => {
    const { connectClient, links } = await startNetwork();
    const { client } = await connectClient();
    links[name].delay(60);
    const transfers = [download(client, BYTES), upload(client, BYTES), download(client, 10)];
    expect(await Promise.all(transfers)).toEqual([whole(BYTES), whole(BYTES), whole(10)]);
  });

  it('may be narrow, one way or both', async () => {
    const { connectClient, links } = await startNetwork();
    const { client } = await connectClient();
    links[name].limitRate(4_000_000);
    expect(await Promise.all([download(client, BYTES), upload(client, BYTES)])).toEqual([
      whole(BYTES),
      whole(BYTES),
    ]);
    links[name].limitRate(undefined, 'toClient');
    links[name].limitRate(2_000_000, 'toTarget');
    expect(await Promise.all([download(client, BYTES), upload(client, BYTES)])).toEqual([
      whole(BYTES),
      whole(BYTES),
    ]);
  });

  it('may stop for a while and go on, without a loss', async () => {
    const { connectClient, links } = await startNetwork();
    const { client } = await connectClient();
    let stops = 0;
    const stop = async (): Promise<void> => {
      if (stops++ >= 4) return;
      links[name].stop(stops % 2 === 0 ? 'both' : 'toClient');
      await new Promise((resolve) => setTimeout(resolve, 50));
      links[name].release();
    };
    const transfers = [download(client, BYTES, stop), upload(client, BYTES, stop)];
    expect(await Promise.all(transfers)).toEqual([whole(BYTES), whole(BYTES)]);
    expect(stops).toBeGreaterThan(4);
  });
});

describe('data connections that come in another order than they were asked for', () => {
  it.each([[[2, 1, 0]], [[1, 2, 0]], [[3, 0, 2, 1]]])(
    '%j are each taken to the Client that they are for',
    async (order) => {
      const { links, makeClient, origin } = await startNetwork();
      const reordered = links.host.reorderNext(order);
      const clients = order.map(() => makeClient().client);
      const ids = await Promise.all(
        clients.map(async ({ fetch }, index) => {
          const response = await fetch(`/echo?${index}`);
          const { url, headers } = (await response.json()) as {
            url: string;
            headers: Record<string, string>;
          };
          expect(url).toBe(`/echo?${index}`);
          return headers['x-openchamber-relay-connection'];
        }),
      );
      await reordered;
      expect(new Set(ids).size).toBe(order.length);
      // What each sends goes to its own connection, and what it gets comes from there.
      const sizes = order.map((position) => 100_000 + position);
      const received = clients.map((client, index) => upload(client, sizes[index] ?? 0));
      expect(await Promise.all(received)).toEqual(sizes.map(whole));
      const used = origin.requests.map(({ headers }) => headers['x-openchamber-relay-connection']);
      expect(new Set(used.slice(order.length))).toEqual(new Set(ids));
    },
  );
});

describe('a network that is bad everywhere', () => {
  it('carries transfers of many Clients side by side, each of them whole', async () => {
    const { connectClient, links } = await startNetwork();
    const clients = await Promise.all([1, 2, 3].map(() => connectClient()));
    links.client.delay(20);
    links.host.delay(10);
    links.host.limitRate(6_000_000);
    links.origin.limitRate(8_000_000, 'toClient');
    const all = clients.flatMap(({ client }, index) => [
      download(client, 700_000 + index),
      upload(client, 800_000 + index),
    ]);
    expect(await Promise.all(all)).toEqual(
      clients.flatMap((_, index) => [whole(700_000 + index), whole(800_000 + index)]),
    );
  });
});
