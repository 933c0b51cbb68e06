import { EventEmitter } from 'node:events';
import { FakeClock } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import type { Logger } from '@openchambery/daemon';
import type { RelayEventMap, SocketClosed, UpgradeRefused } from '../../src/observe/events.ts';
import { Report } from '../../src/observe/report.ts';

interface Line {
  readonly level: keyof Logger;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

const serverId = 'SERVERID-abcdefghijklmnopqrstuvwxyz0123456789';
const connectionId = 'CONNECTIONID-abcdefghi';

function setUp(): { clock: FakeClock; lines: Line[]; emitter: EventEmitter<RelayEventMap>; report: Report } {
  const clock = new FakeClock();
  const lines: Line[] = [];
  const write =
    (level: keyof Logger) =>
    (fields: Record<string, unknown>, message: string): void =>
      void lines.push({ level, fields, message });
  const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const emitter = new EventEmitter<RelayEventMap>();
  return { clock, lines, emitter, report: new Report({ logger, clock }, emitter) };
}

function closedSocket(end: Partial<SocketClosed>): SocketClosed {
  return {
    role: 'client',
    ip: '10.0.0.1',
    serverId,
    connectionId,
    durationMs: 1500,
    receivedBytes: 10,
    sentBytes: 20,
    code: 1000,
    reason: '',
    by: 'relay',
    ...end,
  };
}

const refusal: UpgradeRefused = {
  role: 'client',
  ip: '10.0.0.1',
  serverId,
  reason: 'host-unknown',
  code: 4008,
  detail: 'this Host is not connected to the relay',
};

describe('Report', () => {
  it('writes one line for the life of a connection, with shortened ids', () => {
    const { lines, report } = setUp();
    report.socketClosed(closedSocket({ code: 1012, reason: 'the relay is stopping' }));
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'connection closed',
        fields: {
          role: 'client',
          ip: '10.0.0.1',
          serverId: 'SERVERID',
          connectionId: 'CONNECTI',
          durationMs: 1500,
          receivedBytes: 10,
          sentBytes: 20,
          code: 1012,
          reason: 'the relay is stopping',
          by: 'relay',
        },
      },
    ]);
  });

  it('leaves out the words of a peer, and keeps its own', () => {
    const { lines, report } = setUp();
    report.socketClosed(closedSocket({ by: 'peer', code: 1000, reason: 'my password is hunter2' }));
    report.socketClosed(closedSocket({ by: 'peer', code: 1006, reason: 'the connection was lost' }));
    report.socketClosed(closedSocket({ by: 'relay', code: 1002, reason: 'reserved bits are set' }));
    expect(lines.map(({ fields }) => fields['reason'])).toEqual([
      '',
      'the connection was lost',
      'reserved bits are set',
    ]);
  });

  it('never writes a whole id, at any level', () => {
    const { lines, report } = setUp();
    report.hostOnline({ serverId, ip: '10.0.0.1' });
    report.hostInGrace({ serverId });
    report.hostOffline({ serverId, cause: 'grace-over' });
    report.paired({ serverId, connectionId });
    report.upgradeRefused(refusal);
    report.socketClosed(closedSocket({}));
    expect(lines).toHaveLength(6);
    const text = JSON.stringify(lines);
    expect(text).toContain('SERVERID');
    expect(text).not.toContain(serverId.slice(0, 9));
    expect(text).not.toContain(connectionId.slice(0, 9));
  });

  it('tells listeners of everything, with whole ids and without a budget', () => {
    const { lines, emitter, report } = setUp();
    const heard: unknown[] = [];
    emitter.on('upgradeRefused', (event) => heard.push(event));
    emitter.on('paired', (event) => heard.push(event));
    for (let i = 0; i < 50; i++) report.upgradeRefused(refusal);
    report.paired({ serverId, connectionId });
    expect(heard).toHaveLength(51);
    expect(heard[0]).toEqual(refusal);
    expect(heard[50]).toEqual({ serverId, connectionId });
    expect(lines.filter(({ message }) => message === 'upgrade refused')).toHaveLength(20);
  });

  it('sums up the refusals it did not write', () => {
    const { clock, lines, report } = setUp();
    for (let i = 0; i < 25; i++) report.upgradeRefused(refusal);
    clock.advance(60_000);
    report.upgradeRefused(refusal);
    expect(lines.at(-1)?.fields['suppressed']).toBe(5);
    expect(lines[0]?.fields).not.toHaveProperty('suppressed');
  });

  it('warns of dropped connections, within a budget for each cause', () => {
    const { clock, lines, report } = setUp();
    const drop = {
      ip: '10.0.0.1',
      cause: 'raw-sockets',
      detail: 'limit: MAX_RAW_SOCKETS (1) reached',
    } as const;
    for (let i = 0; i < 25; i++) report.connectionDropped(drop);
    report.connectionDropped({ ...drop, cause: 'plain-rate' });
    expect(lines).toHaveLength(21);
    expect(lines[0]).toEqual({
      level: 'warn',
      message: 'connection dropped',
      fields: { ip: '10.0.0.1', cause: 'raw-sockets', reason: drop.detail },
    });
    clock.advance(60_000);
    report.connectionDropped(drop);
    expect(lines.at(-1)?.fields['suppressed']).toBe(5);
  });

  it('says nothing of a role and a Host that it does not know', () => {
    const { lines, report } = setUp();
    report.upgradeRefused({
      ...refusal,
      role: undefined,
      serverId: undefined,
      reason: 'malformed',
      code: 1008,
    });
    expect(Object.keys(lines[0]?.fields ?? {})).toEqual(['ip', 'refusal', 'code', 'reason']);
  });

  it('contains a listener that throws, and says so', () => {
    const { lines, emitter, report } = setUp();
    emitter.on('hostInGrace', () => {
      throw new Error('planned');
    });
    expect(() => report.hostInGrace({ serverId })).not.toThrow();
    expect(lines.at(-1)).toEqual({
      level: 'error',
      message: 'a listener threw',
      fields: { event: 'hostInGrace', error: 'Error: planned' },
    });
  });
});
