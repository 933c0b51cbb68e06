// In what order vitest takes up test files.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long, the longest first; most of that time most of them wait. */
const LONGEST = [
  'e2e/keep-alive',
  'e2e/liveness',
  'e2e/abuse',
  'e2e/backpressure',
  'e2e/push-lifecycle',
  'network/memory',
  'network/half-open',
  'network/cuts',
  'e2e/stall',
  'e2e/shutdown',
  'e2e/push-delivery',
  'e2e/combined-start-worker',
  'e2e/cli-push-slow-body',
  'e2e/http-deadline',
  'sqlite/kill',
  'model/relay.model',
  'fake-apns/command',
  'replay/memory',
].map((name) => `/${name}.test.ts`);

/** Begins with what takes longest, also where no earlier run has told vitest: else the end would wait for it alone. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const index = LONGEST.findIndex((name) => moduleId.endsWith(name));
  return index === -1 ? LONGEST.length : index;
}
