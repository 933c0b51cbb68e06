import { FakeClock } from '@openchambery/testkit';
import type { FromWorker, ToWorker } from '../../../src/combined/messages.ts';
import { PushThread } from '../../../src/combined/push-thread.ts';
import type { PushWorker, WorkerListener } from '../../../src/combined/worker-run.ts';

/** A worker that does what the test says; being terminated is its end, unless it hangs. */
export class ScriptedWorker implements PushWorker {
  readonly listener: WorkerListener;
  readonly inbox: ToWorker['type'][] = [];
  isTerminated = false;
  isStuck = false;

  constructor(listener: WorkerListener) {
    this.listener = listener;
  }

  post(message: ToWorker): void {
    this.inbox.push(message.type);
  }

  terminate(): void {
    this.isTerminated = true;
    if (!this.isStuck) this.listener.onEnd(undefined);
  }

  say(...messages: FromWorker[]): void {
    for (const message of messages) this.listener.onMessage(message);
  }

  die(error?: unknown): void {
    this.listener.onEnd(error);
  }
}

/** A thread whose workers the test plays. */
export function threadScenario() {
  const clock = new FakeClock();
  const workers: ScriptedWorker[] = [];
  const log: [string, Record<string, unknown>, string][] = [];
  const counts = { lost: 0, messages: 0 };
  const logAt = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void log.push([level, fields, message]);
  const thread = new PushThread({
    clock,
    logger: { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
    startWorker: (listener) => {
      const worker = new ScriptedWorker(listener);
      workers.push(worker);
      return worker;
    },
    onMessage: () => (counts.messages += 1),
    onLost: () => (counts.lost += 1),
  });
  const last = (): ScriptedWorker => {
    const worker = workers.at(-1);
    if (worker === undefined) throw new Error('no worker was started');
    return worker;
  };
  return { clock, workers, log, counts, thread, last };
}

/** The same with a first worker that serves. */
export async function runningThread() {
  const world = threadScenario();
  const started = world.thread.start();
  world.last().say({ type: 'ready' });
  await started;
  return world;
}
