import { FakeClock } from '@openchambery/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { PushStoreError } from '../../src/binding/store-error.ts';
import type { Delivered } from '../../src/deliver/delivery-job.ts';
import { Report } from '../../src/observe/report.ts';
import type { PushOutcome } from '../../src/provider/push-outcome.ts';
import { TOKEN } from '../support/bodies.ts';
import { MemoryBindingStore } from '../support/memory-binding-store.ts';
import { RecordingLogger } from '../support/recording-logger.ts';
import { ACCEPTED, LATER } from '../support/scripted-provider.ts';

const SERVER_ID = 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg';
const LINES_PER_MINUTE = 20;

let clock: FakeClock;
let logger: RecordingLogger;
let report: Report;

beforeEach(() => {
  clock = new FakeClock();
  logger = new RecordingLogger();
  report = new Report(logger, clock);
});

function delivered(outcome: PushOutcome): Delivered {
  const binding = new MemoryBindingStore(clock).bind(TOKEN, SERVER_ID);
  return {
    platform: 'ios',
    binding,
    outcome,
    asked: 'sandbox',
    environment: 'sandbox',
    isRefusedByBoth: false,
  };
}

describe('a refusal', () => {
  it('is counted and told, with who asked and too little of the server to use it', () => {
    report.refused({ refusal: 'replay', detail: 'replay: x' }, { ip: '192.0.2.1', serverId: SERVER_ID });
    expect(logger.lines).toEqual([
      {
        level: 'info',
        message: 'push request refused',
        fields: { ip: '192.0.2.1', serverId: 'n4bQgYhM', refusal: 'replay', reason: 'replay: x' },
      },
    ]);
    expect(report.counters.totals().refusals).toEqual({ replay: 1 });
  });

  it('is told a few times a minute and then only counted; the rest is summed up', () => {
    const refuse = (): void => report.refused({ refusal: 'timestamp', detail: 'd' }, { ip: '192.0.2.1' });
    for (let count = 0; count < 1000; count++) refuse();
    expect(logger.lines).toHaveLength(LINES_PER_MINUTE);
    clock.advance(59_999);
    refuse();
    expect(logger.lines).toHaveLength(LINES_PER_MINUTE);
    clock.advance(1);
    refuse();
    expect(logger.lines.at(-1)?.fields['suppressed']).toBe(1001 - LINES_PER_MINUTE);
    expect(report.counters.totals().refusals).toEqual({ timestamp: 1002 });
  });

  it('of one code takes no line from another', () => {
    for (let count = 0; count < 100; count++) report.refused({ refusal: 'replay', detail: '' }, { ip: 'a' });
    report.refused({ refusal: 'invalid_signature', detail: '' }, { ip: 'a' });
    expect(logger.lines.at(-1)?.fields['refusal']).toBe('invalid_signature');
  });
});

describe('a delivery', () => {
  it('that worked is a line for those who look for faults', () => {
    report.delivered(delivered(ACCEPTED));
    expect(logger.lines).toMatchObject([
      {
        level: 'debug',
        fields: { environment: 'sandbox', outcome: 'accepted', token: report.nameOf(TOKEN) },
      },
    ]);
    expect(report.counters.totals().deliveries.sandbox).toEqual({ accepted: 1 });
  });

  it('that did not is told with the reason, a few times a minute', () => {
    for (let count = 0; count < 1000; count++) report.delivered(delivered(LATER));
    expect(logger.of('info')).toHaveLength(LINES_PER_MINUTE);
    expect(logger.lines[0]?.fields).toMatchObject({ outcome: 'later', reason: 'TooManyRequests' });
    expect(report.counters.totals().deliveries.sandbox).toEqual({ later: 1000 });
  });

  it('names a token by a short hash that says nothing in another process', () => {
    expect(report.nameOf(TOKEN)).toMatch(/^[0-9a-f]{8}$/);
    expect(report.nameOf(TOKEN)).toBe(report.nameOf(TOKEN));
    expect(TOKEN).not.toContain(report.nameOf(TOKEN));
    expect(new Report(logger, clock).nameOf(TOKEN)).not.toBe(report.nameOf(TOKEN));
  });
});

describe('too many deliveries at once', () => {
  it('are counted, and told a few times a minute', () => {
    for (let count = 0; count < 1000; count++) report.overloaded();
    expect(logger.of('warn')).toHaveLength(LINES_PER_MINUTE);
    expect(report.counters.totals().overloaded).toBe(1000);
  });
});

describe('a fault', () => {
  it('of the store says what is wrong with it', () => {
    report.failed(new PushStoreError('cannot write /data/push.sqlite: the disk is full'));
    expect(logger.lines).toMatchObject([
      {
        level: 'error',
        fields: {
          error: 'PushStoreError (ERR_PUSH_STORE)',
          reason: 'cannot write /data/push.sqlite: the disk is full',
        },
      },
    ]);
    expect(report.counters.totals().refusals).toEqual({ internal: 1 });
  });

  it.each(['failed', 'unsettled', 'providerBug'] as const)(
    'in %s never repeats the message of a stranger',
    (kind) => {
      const error = new TypeError(`cannot read ${TOKEN}\n    at ${TOKEN} (x.ts:1:2)\nat ${TOKEN}`);
      report[kind](Object.assign(error, { body: TOKEN, cause: new Error(TOKEN) }));
      expect(logger.of('error')).toHaveLength(1);
      expect(logger.lines[0]?.fields).toMatchObject({ error: 'TypeError' });
      expect(logger.text()).not.toContain(TOKEN);
    },
  );

  it('says where it happened', () => {
    report.failed(new TypeError('text'));
    expect(String(logger.lines[0]?.fields['at'])).toContain('report.test.ts');
  });

  it.each([TOKEN, { token: TOKEN }, [TOKEN], null, undefined, 5])('may be no error at all', (thrown) => {
    report.failed(thrown);
    expect(logger.lines).toHaveLength(1);
    expect(logger.text()).not.toContain(TOKEN);
  });

  it('is told a few times a minute', () => {
    for (let count = 0; count < 1000; count++) report.failed(new Error('x'));
    expect(logger.lines).toHaveLength(LINES_PER_MINUTE);
    expect(report.counters.totals().refusals).toEqual({ internal: 1000 });
  });
});

describe('an environment that refuses everything', () => {
  it('is told loudly, with what to look at, and so is its end', () => {
    report.onSuspected('production', 'com.example');
    report.onCleared('production', 'com.example');
    expect(logger.lines).toMatchObject([
      { level: 'error', fields: { environment: 'production', topic: 'com.example' } },
      { level: 'info', fields: { environment: 'production' } },
    ]);
    expect(logger.lines[0]?.message).toContain('bundle ID');
  });
});
