import { describe, expect, it } from 'vitest';
import type { Leg } from '../model/leg.ts';
import { QuietWorld } from '../model/quiet-world.ts';
import { pass } from '../model/settle.ts';

function told(leg: Leg): string[] {
  return leg.peer.log.messages.map(({ body }) => {
    const message = JSON.parse(body) as { type: string; connectionId?: string; connectionIds?: string[] };
    return `${message.type} ${message.connectionId ?? message.connectionIds?.join(',') ?? ''}`;
  });
}

function closeOf(leg: Leg): string {
  const { close } = leg.peer.log;
  return close === undefined ? 'open' : `${close.code} ${close.reason}`;
}

const idOf = (leg: Leg): string => leg.party.connectionId ?? 'none';

describe('a Host that is replaced', () => {
  it('loses control, pairs and pending Clients with 4001, and the new one starts with nothing', async () => {
    const relay = await QuietWorld.open();
    const old = await relay.host();
    const paired = await relay.client();
    const data = await relay.data(0, paired);
    const pending = await relay.client();
    const fresh = await relay.host();
    for (const leg of [old, paired, data, pending]) {
      expect(closeOf(leg)).toBe('4001 a newer control connection of this Host took over');
    }
    expect(told(fresh)).toEqual(['sync ']);
    // Nobody is left to be told of each.
    expect(told(old)).toEqual(['sync ', `connected ${idOf(paired)}`, `connected ${idOf(pending)}`]);
  });

  it('is not disturbed by a newer control that is refused', async () => {
    const relay = await QuietWorld.open({ maxHostControlAdmissionsPerServer: 1 });
    const control = await relay.host();
    const paired = await relay.client();
    await relay.data(0, paired);
    for (const flaw of ['signature', 'malformed', 'none'] as const) await relay.host(0, { flaw });
    expect([control, paired].map(closeOf)).toEqual(['open', 'open']);
  });

  it('hears nothing of the new control when its old one ends later', async () => {
    const relay = await QuietWorld.open();
    const manners = { answersCloses: false };
    const socket = {
      kernelBytes: 0,
      readAheadBytes: 1000,
      chunkBytes: 1000,
      tellsQueue: true,
      manners,
    };
    const old = await relay.host(0, { socket });
    const fresh = await relay.host();
    old.peer.reset();
    await relay.rest();
    expect(relay.world.parts.context.hosts.graceSize).toBe(0);
    const client = await relay.client();
    expect(told(fresh)).toEqual(['sync ', `connected ${idOf(client)}`]);
  });
});

describe('a Host in grace', () => {
  it('keeps its pairs, takes Clients, and its next control learns of all of them', async () => {
    const relay = await QuietWorld.open();
    const control = await relay.host();
    const paired = await relay.client();
    const data = await relay.data(0, paired);
    const gone = await relay.client();
    control.peer.reset();
    await relay.rest();
    gone.peer.reset();
    const late = await relay.client();
    paired.peer.sendMessage(20);
    await relay.rest();
    expect(data.peer.log.messages).toHaveLength(1);
    const next = await relay.host();
    expect(told(next)).toEqual([`sync ${idOf(paired)},${idOf(late)}`]);
    late.peer.reset();
    await relay.rest();
    expect(told(next).at(-1)).toBe(`disconnected ${idOf(late)}`);
  });

  it('is forgotten when GRACE_MS is over, not a ms sooner: 1012 for all', async () => {
    const relay = await QuietWorld.open({ graceMs: 1000, pendingMs: 60_000 });
    const control = await relay.host();
    const paired = await relay.client();
    const data = await relay.data(0, paired);
    const pending = await relay.client();
    control.peer.reset();
    await relay.rest();
    await pass(relay.world, 999);
    expect([paired, data, pending].map(closeOf)).toEqual(['open', 'open', 'open']);
    await pass(relay.world, 1);
    for (const leg of [paired, data, pending]) {
      expect(closeOf(leg)).toBe('1012 the Host did not come back within GRACE_MS (1000)');
    }
    expect(relay.world.parts.context.hosts.size).toBe(0);
    relay.check();
  });

  it('counts toward MAX_HOSTS until it is forgotten', async () => {
    const relay = await QuietWorld.open({ graceMs: 1000, maxHosts: 1 });
    const control = await relay.host(0);
    control.peer.reset();
    await relay.rest();
    expect((await relay.host(1)).party.role).toBe('refused');
    await pass(relay.world, 1000);
    expect((await relay.host(1)).party.role).toBe('host-control');
  });
});

describe('a Client that waits', () => {
  it('is told 4008 after PENDING_MS, not a ms sooner, and its Host hears of it', async () => {
    const relay = await QuietWorld.open({ pendingMs: 1000 });
    const control = await relay.host();
    const client = await relay.client();
    await pass(relay.world, 999);
    expect(closeOf(client)).toBe('open');
    await pass(relay.world, 1);
    expect(closeOf(client)).toBe('4008 the Host did not attach within PENDING_MS (1000)');
    expect(told(control).at(-1)).toBe(`disconnected ${idOf(client)}`);
    relay.check();
  });
});

describe('a Host that does not read its control connection', () => {
  it('is closed with 4029 when one message more than MAX_CONTROL_QUEUE_ENTRIES would wait', async () => {
    const relay = await QuietWorld.open({ maxControlQueueEntries: 3 });
    const control = await relay.host();
    control.peer.socket.setReading(false);
    for (let waiting = 1; waiting <= 3; waiting++) await relay.client();
    expect(control.isOpen).toBe(true);
    const last = await relay.client();
    expect(control.isRelayClosed).toBe(true);
    expect(last.isOpen).toBe(true);
    control.peer.socket.setReading(true);
    await relay.rest();
    expect(closeOf(control)).toMatch(
      /^4029 limit: MAX_CONTROL_QUEUE_ENTRIES \(3\) or MAX_CONTROL_QUEUED_BYTES \(\d+\) reached$/,
    );
    const next = await relay.host();
    expect(told(next)).toHaveLength(1);
    expect(told(next)[0]).toContain(idOf(last));
  });

  it('keeps its pairs and its route when its queue overflows', async () => {
    const relay = await QuietWorld.open({ maxControlQueueEntries: 1 });
    const control = await relay.host();
    const paired = await relay.client();
    const data = await relay.data(0, paired);
    control.peer.socket.setReading(false);
    for (let count = 0; count < 2; count++) await relay.client();
    expect(relay.world.parts.context.hosts.graceSize).toBe(1);
    data.peer.sendMessage(20);
    await relay.rest();
    expect(paired.peer.log.messages).toHaveLength(1);
  });

  it('is not charged for what waits on its pairs', async () => {
    const relay = await QuietWorld.open({ maxControlQueuedBytes: 1000, maxControlQueueEntries: 2 });
    const control = await relay.host();
    const paired = await relay.client();
    const data = await relay.data(0, paired);
    data.peer.socket.setReading(false);
    for (let count = 0; count < 20; count++) paired.peer.sendMessage(1000);
    await relay.rest();
    expect(relay.world.parts.context.wire.budget.usedBytes).toBeGreaterThan(20_000);
    for (let count = 0; count < 10; count++) await relay.client();
    expect(control.isOpen).toBe(true);
    expect(told(control)).toHaveLength(12);
  });
});
