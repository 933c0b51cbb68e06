import { fileURLToPath } from 'node:url';
import { startNodeRelay } from './node-relay.ts';
import type { Rival } from './rival.ts';

const program = fileURLToPath(new URL('ws-relay.ts', import.meta.url));

/** The ordinary relay on the `ws` library. */
export const wsRival: Rival = {
  name: 'ws',
  unavailable: undefined,
  start: (options) =>
    startNodeRelay({ name: 'ws', args: (port) => [program, String(port)], readyText: 'listening' }, options),
};
