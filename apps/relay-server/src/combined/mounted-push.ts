import type { Clock, Logger, Mount } from '@openchambery/daemon';
import type { PushConfig } from '../push/resolve-config.ts';
import { PushGateway } from './push-gateway.ts';
import { PushThread } from './push-thread.ts';
import { startWorkerThread } from './worker-thread.ts';
import { RequestBudget } from './request-budget.ts';
import type { ThreadEnd } from './worker-run.ts';
import type { WorkerCode } from './worker-thread.ts';

/** What push on the relay's listener needs. */
export interface MountedPushOptions {
  readonly config: PushConfig;
  readonly worker: WorkerCode;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Push as the relay sees it. */
export interface MountedPush {
  readonly mount: Mount;
  /** Rejects with `PushStartError` when push cannot serve. */
  start(): Promise<void>;
  /** Lets what is under way finish, at most 8 s. */
  close(): Promise<void>;
  /** Ends push at once; within 0.5 s it is known whether its thread is gone. */
  cut(): Promise<ThreadEnd>;
}

/** What push takes without its replay marks, with room to spare. */
const BASE_HEAP_MB = 256;
/** Of a replay mark, at the most. */
const MARK_BYTES = 1300;

/** A full table of marks must fit, or a worker would die of it again and again. In MB. */
function heapFor(maxReplayEntries: number): number {
  return BASE_HEAP_MB + Math.ceil((maxReplayEntries * MARK_BYTES) / 1_000_000);
}

/** Push in a worker thread, and the gateway to it. */
export function createMountedPush({ config, worker, clock, logger }: MountedPushOptions): MountedPush {
  const { logLevel, ...options } = config;
  const start = { options, logLevel, heapMb: heapFor(config.limits.maxReplayEntries) };
  const thread: PushThread = new PushThread({
    clock,
    logger,
    startWorker: (listener) => startWorkerThread(worker, start, listener),
    onMessage: (message) => gateway.onMessage(message),
    onLost: () => gateway.onLost(),
  });
  const gateway = new PushGateway({
    line: thread,
    clock,
    trustProxy: config.trustProxy ? 'trust' : 'ignore',
    budget: new RequestBudget({ clock, logger, limits: config.limits }),
  });
  return {
    mount: gateway,
    start: () => thread.start(),
    close: () => thread.close(),
    cut: () => thread.cut(),
  };
}
