import { describe, expect, it } from 'vitest';
import type { ConnectionDropped, RelayLogger } from '../../src/index.ts';
import { silentLogger } from '../../src/index.ts';
import { start } from './harness.ts';

describe('a TCP connection too many', () => {
  it.each([
    ['MAX_RAW_SOCKETS', 'raw-sockets', { maxRawSockets: 1 }],
    ['MAX_RAW_SOCKETS_PER_IP', 'raw-sockets-per-ip', { maxRawSocketsPerIp: 1 }],
  ])('is dropped with a warning that names %s', async (name, cause, limits) => {
    const warnings: unknown[] = [];
    const logger: RelayLogger = {
      ...silentLogger,
      warn: (fields, message) => void warnings.push({ ...fields, message }),
    };
    const { relay, connect } = await start({ limits, logger });
    const drops: ConnectionDropped[] = [];
    relay.on('connectionDropped', (drop) => drops.push(drop));
    await connect();
    await (await connect()).ended();
    const detail = `limit: ${name} (1) reached`;
    expect(drops).toEqual([{ ip: '127.0.0.1', cause, detail }]);
    expect(warnings).toEqual([{ ip: '127.0.0.1', cause, reason: detail, message: 'connection dropped' }]);
    expect(relay.snapshot().totals.droppedConnections).toBe(1);
  });
});
