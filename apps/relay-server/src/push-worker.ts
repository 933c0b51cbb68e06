import { parentPort, workerData } from 'node:worker_threads';
import type { PushOptions } from '@openchambery/push';
import type { WorkerStart } from './combined/messages.ts';
import { hideExperimentalWarnings } from './push/node-warnings.ts';

// The thread that combined mode runs push in. No await at its top: in the single executable it is a CommonJS script.
hideExperimentalWarnings();
void start();

async function start(): Promise<void> {
  const { runWorker } = await import('./combined/run-worker.ts');
  if (parentPort === null) throw new Error('this file is for a worker thread');
  runWorker(parentPort, workerData as WorkerStart<PushOptions>);
}
