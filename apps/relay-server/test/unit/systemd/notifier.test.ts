import { describe, expect, it } from 'vitest';
import type { NotifyListener } from '../../../src/systemd/notify-helper.ts';
import { Notifier } from '../../../src/systemd/notifier.ts';

function setUp() {
  const warnings: unknown[] = [];
  const log = (): void => undefined;
  const logger = { debug: log, info: log, error: log, warn: (fields: object) => void warnings.push(fields) };
  const helpers: { readonly listener: NotifyListener; readonly sent: (readonly string[])[] }[] = [];
  const startHelper = (listener: NotifyListener) => {
    const sent: (readonly string[])[] = [];
    helpers.push({ listener, sent });
    return { send: (assignments: readonly string[]) => void sent.push(assignments) };
  };
  const notifier = new Notifier({ logger, startHelper });
  const helper = (index: number) => {
    const found = helpers[index];
    if (found === undefined) throw new Error(`helper ${index} was not started`);
    return found;
  };
  return { notifier, warnings, helpers, helper };
}

describe('Notifier', () => {
  it('starts its helper at once, and only one', () => {
    const { notifier, helpers, helper } = setUp();
    expect(helpers).toHaveLength(1);
    notifier.notify('READY=1', 'STATUS=x');
    notifier.notify('STOPPING=1');
    expect(helpers).toHaveLength(1);
    expect(helper(0).sent).toEqual([['READY=1', 'STATUS=x'], ['STOPPING=1']]);
  });

  it('is idle when everything has been told', () => {
    const { notifier, helper } = setUp();
    expect(notifier.isIdle).toBe(true);
    notifier.notify('READY=1');
    notifier.notify('WATCHDOG=1');
    helper(0).listener.onOutcome({ exitCode: 0 });
    expect(notifier.isIdle).toBe(false);
    helper(0).listener.onOutcome({ exitCode: 1 });
    expect(notifier.isIdle).toBe(true);
  });

  it('logs a failure once, until it works again', () => {
    const { notifier, helper, warnings } = setUp();
    for (const exitCode of [0, 1, 127, 0, 2]) {
      notifier.notify('WATCHDOG=1');
      helper(0).listener.onOutcome({ exitCode });
    }
    expect(warnings).toEqual([{ exitCode: 1 }, { exitCode: 2 }]);
  });

  it.each([{ code: 'ENOENT' }, { code: 'SIGKILL' }, { exitCode: 0 }])(
    'starts another helper for the next message when the first has ended: %j',
    (outcome) => {
      const { notifier, helper, helpers, warnings } = setUp();
      notifier.notify('READY=1');
      helper(0).listener.onEnd(outcome);
      expect([notifier.isIdle, helpers.length]).toEqual([true, 1]);
      notifier.notify('WATCHDOG=1');
      expect(helper(1).sent).toEqual([['WATCHDOG=1']]);
      expect(warnings).toEqual([outcome]);
    },
  );
});
