import { fileURLToPath } from 'node:url';
import { startNodeRelay } from '../node-relay.ts';
import type { Rival } from '../rival.ts';
import { loadUws } from './load.ts';

const program = fileURLToPath(new URL('uws-relay.ts', import.meta.url));
const MAX_UNDER_WAY_BYTES = 8 * 1024 * 1024;

/** uWebSockets.js, where its package can be loaded. */
export function uwsRival(): Rival {
  return {
    name: 'uws',
    unavailable:
      loadUws() === undefined ? 'the package cannot be loaded (BENCH_UWS may point to it)' : undefined,
    start: async (options) => {
      const relay = {
        name: 'uws',
        args: (port: number) => [program, String(port)],
        readyText: 'listening on',
      } as const;
      const running = await startNodeRelay(relay, options);
      return { ...running, maxUnderWayBytes: MAX_UNDER_WAY_BYTES };
    },
  };
}
