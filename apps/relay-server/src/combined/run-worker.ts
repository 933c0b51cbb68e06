import type { MessagePort } from 'node:worker_threads';
import type { Logger } from '@openchambery/daemon';
import { createPushService, PushStoreError } from '@openchambery/push';
import type { PushOptions, PushService } from '@openchambery/push';
import { describeStoreFailure } from '../push/start-failure.ts';
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts';
import { createPortLogger } from './port-logger.ts';
import { WorkerDesk } from './worker-desk.ts';

/** Serves push over a port until the other side ends the thread. */
export function runWorker(port: MessagePort, { options, logLevel }: WorkerStart<PushOptions>): void {
  const post = (message: FromWorker): void => port.postMessage(message);
  const logger = createPortLogger(logLevel, post);
  const service = openService(options, logger);
  if (typeof service === 'string') {
    post({ type: 'failed', reason: service });
    return;
  }
  const desk = new WorkerDesk({ service, logger, post });
  port.on('message', (message: ToWorker) => desk.onMessage(message));
  post({ type: 'ready' });
}

/** The service, or one line about why there is none. */
function openService(options: PushOptions, logger: Logger): PushService | string {
  try {
    return createPushService({ ...options, logger });
  } catch (error) {
    if (!(error instanceof PushStoreError)) throw error;
    return describeStoreFailure(error);
  }
}
