import { describe, expect, test } from 'vitest';
import { delay } from '../../src/wait.ts';
import { makeWorld, openTriple } from './tcp-pair.ts';

/** Timers of a busy machine fire late, and never more than a ms early. */
const EARLY_MS = 2;

async function msOf(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work;
  return performance.now() - startedAt;
}

describe('delay', () => {
  test('lets bytes arrive later, each way, in order', async () => {
    const { client, target, link } = await openTriple(await makeWorld());
    link.delay(80);
    client.socket.write('a');
    expect(await msOf(target.heard('a'))).toBeGreaterThanOrEqual(80 - EARLY_MS);
    target.socket.write('b');
    expect(await msOf(client.heard('b'))).toBeGreaterThanOrEqual(80 - EARLY_MS);
    for (const letter of 'cdefg') client.socket.write(letter);
    await target.heard('acdefg');
  });

  test('of one direction leaves the other alone', async () => {
    const { client, target, link } = await openTriple(await makeWorld());
    link.delay(60_000, 'toClient');
    client.socket.write('up');
    await target.heard('up');
    target.socket.write('down');
    await delay(50);
    expect(client.text).toBe('');
    link.heal();
    await client.heard('down');
  });

  test('holds up the end as well, after what was said before', async () => {
    const { client, target, link } = await openTriple(await makeWorld());
    link.delay(80);
    client.socket.end('bye');
    expect(await msOf(target.end())).toBeGreaterThanOrEqual(80 - EARLY_MS);
    expect(target.text).toBe('bye');
  });

  test('made shorter lets bytes under way arrive sooner', async () => {
    const { client, target, link } = await openTriple(await makeWorld());
    link.delay(60_000);
    client.socket.write('slow');
    await expect.poll(() => link.traffic.toTarget.receivedBytes).toBe(4);
    link.delay(10);
    await target.heard('slow');
  });
});

describe('rate', () => {
  test('passes no more than so many bytes a second', async () => {
    const { client, link } = await openTriple(await makeWorld());
    link.limitRate(200_000, 'toTarget');
    client.socket.write(Buffer.alloc(60_000));
    const ms = await msOf(link.passed('toTarget', 60_000));
    // 300 ms at this rate, of which a burst of 50 ms may have been saved up.
    expect(ms).toBeGreaterThanOrEqual(245);
    expect(ms).toBeLessThan(3000);
  });

  test('of one direction leaves the other alone, and ends when lifted', async () => {
    const { client, target, link } = await openTriple(await makeWorld());
    link.limitRate(1, 'toClient');
    client.socket.write('up');
    await target.heard('up');
    target.socket.write('x'.repeat(1000));
    await expect.poll(() => link.traffic.toClient.receivedBytes).toBe(1000);
    link.limitRate(undefined, 'toClient');
    await client.heard('x'.repeat(1000));
  });

  test.each([0, -1, Number.NaN])('refuses %s bytes a second', async (rate) => {
    const world = await makeWorld();
    expect(() => world.proxy.limitRate(rate)).toThrow(RangeError);
    expect(() => world.proxy.delay(-1)).toThrow(RangeError);
  });
});

describe('drop', () => {
  test('swallows one direction while the other goes on', async () => {
    const { client, target, link } = await openTriple(await makeWorld());
    link.drop('toTarget');
    client.socket.write('lost');
    await expect.poll(() => link.traffic.toTarget.droppedBytes).toBe(4);
    target.socket.write('heard');
    await client.heard('heard');
    link.release();
    client.socket.write('again');
    await target.heard('again');
  });

  test('takes a great deal and keeps none of it', async () => {
    const { client, link } = await openTriple(await makeWorld());
    link.drop();
    const bytes = 20_000_000;
    client.socket.write(Buffer.alloc(bytes));
    await expect.poll(() => link.traffic.toTarget.droppedBytes, { timeout: 10_000 }).toBe(bytes);
    expect(link.bufferedBytes('toTarget')).toBe(0);
  });

  test.each(['end', 'resetAndDestroy'] as const)('hides that a party left (%s)', async (leave) => {
    const { client, target, link } = await openTriple(await makeWorld());
    link.drop('toTarget');
    client.socket[leave]();
    await delay(50);
    expect(link.state).toBe('open');
    target.socket.write('anybody?');
    await expect.poll(() => link.traffic.toClient.receivedBytes).toBe(8);
    link.release();
    expect(await target.end()).toBe('rst');
    await link.closed();
  });

  test('ends a connection that both have left', async () => {
    const { client, target, link } = await openTriple(await makeWorld());
    link.drop();
    client.socket.end();
    target.socket.end();
    await link.closed();
  });
});

describe('stop', () => {
  test('stalls the sender and loses nothing', async () => {
    const { client, target, link } = await openTriple(await makeWorld());
    link.stop('toTarget');
    const text = 'y'.repeat(8_000_000);
    client.socket.write(text);
    await delay(100);
    expect(client.socket.writableLength).toBeGreaterThan(0);
    expect(target.text).toBe('');
    expect(link.bufferedBytes('toTarget')).toBeLessThan(400_000);
    link.release('toTarget');
    await target.heard(text);
  });

  test('of all connections holds for those to come, until released', async () => {
    const world = await makeWorld();
    const early = await openTriple(world);
    world.proxy.stop();
    const late = await openTriple(world);
    for (const { client } of [early, late]) client.socket.write('wait');
    await delay(50);
    expect([early.target.text, late.target.text]).toEqual(['', '']);
    world.proxy.release();
    await Promise.all([early.target.heard('wait'), late.target.heard('wait')]);
  });

  test('of one connection leaves the others alone', async () => {
    const world = await makeWorld();
    const [stopped, other] = [await openTriple(world), await openTriple(world)];
    stopped.link.stop();
    stopped.client.socket.write('x');
    other.client.socket.write('y');
    await other.target.heard('y');
    expect(stopped.target.text).toBe('');
  });
});

describe('passOnly', () => {
  test('passes exactly so many bytes, then nothing until released', async () => {
    const { client, target, link } = await openTriple(await makeWorld());
    link.passOnly(4, 'toTarget');
    client.socket.write('abcdef');
    await link.passed('toTarget', 4);
    client.socket.end('gh');
    target.socket.write('down');
    await client.heard('down');
    await delay(50);
    expect(link.traffic.toTarget.deliveredBytes).toBe(4);
    expect(target.text).toBe('abcd');
    link.release();
    await target.heard('abcdefgh');
    expect(await target.end()).toBe('fin');
  });

  test('counts anew for each connection to come, also at a rate', async () => {
    const world = await makeWorld();
    world.proxy.passOnly(2, 'toTarget');
    world.proxy.limitRate(10_000, 'toTarget');
    for (const { client, target } of [await openTriple(world), await openTriple(world)]) {
      client.socket.write('abc');
      await target.heard('ab');
    }
  });

  test('of no byte at all holds the end as well; of fewer is refused', async () => {
    const { client, target, link } = await openTriple(await makeWorld());
    link.passOnly(0);
    client.socket.end();
    await delay(50);
    expect(link.state).toBe('open');
    expect(() => link.passOnly(-1)).toThrow(RangeError);
    link.heal();
    expect(await target.end()).toBe('fin');
  });
});

describe('cut and reset', () => {
  test.each([
    ['cut', 'fin'],
    ['reset', 'rst'],
  ] as const)('%s ends both sides with a %s', async (act, ended) => {
    const { client, target, link } = await openTriple(await makeWorld());
    client.socket.write('x');
    await target.heard('x');
    link[act]();
    expect(await Promise.all([client.end(), target.end()])).toEqual([ended, ended]);
    client.socket.destroy();
    target.socket.destroy();
    await link.closed();
  });

  test.each(['cut', 'reset'] as const)('%s towards one side leaves the other in the dark', async (act) => {
    const { client, target, link } = await openTriple(await makeWorld());
    link[act]('toTarget');
    await target.end();
    target.socket.destroy();
    client.socket.write('anybody?');
    await expect.poll(() => link.traffic.toTarget.droppedBytes).toBe(8);
    expect(client.socket.destroyed).toBe(false);
    client.socket.end();
    await link.closed();
  });

  test('at a byte: what is delivered is known, what waits is lost', async () => {
    const { client, target, link } = await openTriple(await makeWorld());
    link.limitRate(100_000, 'toTarget');
    client.socket.write(Buffer.alloc(1_000_000));
    await link.passed('toTarget', 10_000);
    link.reset();
    await Promise.all([client.end(), target.end()]);
    expect(link.traffic.toTarget.deliveredBytes).toBeLessThan(100_000);
    await expect(link.passed('toTarget', 1_000_000)).rejects.toThrow('ended after');
  });

  test('reset right after a cut leaves nothing behind', async () => {
    const { client, target, link } = await openTriple(await makeWorld());
    link.cut();
    link.reset();
    await Promise.all([client.end(), target.end()]);
    client.socket.destroy();
    target.socket.destroy();
    await link.closed();
  });

  test('of all connections spares those to come', async () => {
    const world = await makeWorld();
    const first = await openTriple(world);
    world.proxy.reset();
    expect(await first.client.end()).toBe('rst');
    const second = await openTriple(world);
    second.client.socket.write('fine');
    await second.target.heard('fine');
  });
});
