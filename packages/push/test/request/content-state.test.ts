import { describe, expect, it } from 'vitest';
import { parseLiveActivity } from '../../src/request/parse-live-activity.ts';
import { type Body, contentState, item, liveActivity, NOW_MS, without } from '../support/bodies.ts';
import { codeOf, taken } from '../support/verdicts.ts';

function code(state: unknown): string {
  return codeOf(parseLiveActivity(liveActivity({ contentState: state }), NOW_MS));
}

function codeWith(members: Body): string {
  return code(contentState(members));
}

/** What the phone gets to see, as text, members in order. */
function shown(state: unknown): string {
  const { payloads } = taken(parseLiveActivity(liveActivity({ contentState: state }), NOW_MS)).content;
  const { aps } = JSON.parse(payloads.ios?.toString() ?? '') as { aps: Body };
  return JSON.stringify(aps['content-state']);
}

function shownItem(members: unknown): string {
  const [first] = (JSON.parse(shown(contentState({ items: [members] }))) as { items: unknown[] }).items;
  return JSON.stringify(first);
}

/** With a number in it that JSON can write and JavaScript cannot. */
function rawState(name: string, number: string): unknown {
  return JSON.parse(`${JSON.stringify(without(contentState(), name)).slice(0, -1)},"${name}":${number}}`);
}

describe('the state', () => {
  it.each(['working', 'tool', 'retry', 'input', 'permission', 'stale', 'complete', 'error'])(
    'may be %s',
    (status) => {
      expect(codeWith({ status })).toBe('ok');
      expect(codeWith({ items: [item({ status })] })).toBe('ok');
    },
  );

  it.each(['', 'Working', 'done', null, 5])('may not be %j', (status) => {
    expect(codeWith({ status })).toBe('invalid_request');
    expect(codeWith({ items: [item({ status })] })).toBe('invalid_request');
  });

  it.each(['status', 'eventVersion', 'updatedAt'])('needs %s', (name) => {
    expect(code(without(contentState(), name))).toBe('invalid_request');
    expect(codeWith({ [name]: null })).toBe('invalid_request');
  });

  it.each(['endedAt', 'title', 'workingCount', 'items'])('may lack %s, but null is not lacking', (name) => {
    expect(code(without(contentState(), name))).toBe('ok');
    expect(codeWith({ [name]: null })).toBe('invalid_request');
  });

  it.each(['extra', 'sessionID', 'constructor', 'startedAt', 'Title', ''])('has no member %j', (name) => {
    expect(codeWith({ [name]: 1 })).toBe('invalid_request');
  });

  it('has no member __proto__', () => {
    const state = JSON.parse(`{"__proto__":1,${JSON.stringify(contentState()).slice(1)}`) as unknown;
    expect(code(state)).toBe('invalid_request');
  });

  it.each([null, [], 'x', 5, {}])('is an object and not %j', (state) => {
    expect(code(state)).toBe('invalid_request');
  });
});

describe('eventVersion', () => {
  it.each([0, 1, -1, Number.MAX_SAFE_INTEGER])('may be %d', (eventVersion) => {
    expect(codeWith({ eventVersion })).toBe('ok');
  });

  it.each([0.5, '1', true])('may not be %j', (eventVersion) => {
    expect(codeWith({ eventVersion })).toBe('invalid_request');
  });
});

describe.each(['updatedAt', 'endedAt'])('%s', (name) => {
  it.each(['0', '-0', '-5', '1.5', '1e21', '1e-7', '5e-324', '1.7976931348623157e308'])(
    'may be %s',
    (number) => {
      expect(code(rawState(name, number))).toBe('ok');
    },
  );

  it.each(['1e999', '-1e999', '"5"', 'true', '[5]'])('may not be %s', (number) => {
    expect(code(rawState(name, number))).toBe('invalid_request');
  });
});

describe('the title', () => {
  // Two UTF-16 units each.
  it.each(['', 'x'.repeat(80), 'ä'.repeat(80), '🔔'.repeat(40)])(
    'may be as long as the limit, in units',
    (title) => {
      expect(codeWith({ title })).toBe('ok');
      expect((JSON.parse(shown(contentState({ title }))) as Body)['title']).toBe(title);
    },
  );

  it.each(['x'.repeat(81), `${'🔔'.repeat(40)}x`, 5])('may not be longer, nor %#', (title) => {
    expect(codeWith({ title })).toBe('invalid_request');
  });
});

describe('workingCount', () => {
  it.each([0, 1, 1000])('may be %d', (workingCount) => {
    expect(codeWith({ workingCount })).toBe('ok');
  });

  it.each([-1, 0.5, '1'])('may not be %j', (workingCount) => {
    expect(codeWith({ workingCount })).toBe('invalid_request');
  });
});

describe('the items', () => {
  it.each([0, 1, 4])('may be %d', (count) => {
    expect(codeWith({ items: Array.from({ length: count }, () => item()) })).toBe('ok');
  });

  it('may not be 5', () => {
    expect(codeWith({ items: Array.from({ length: 5 }, () => item()) })).toBe('invalid_request');
  });

  it.each([{}, 'x', 5, [null], ['x'], [[]], [5]])('are not %j', (items) => {
    expect(codeWith({ items })).toBe('invalid_request');
  });
});

describe('an item', () => {
  it.each(['sessionID', 'status', 'startedAt'])('needs %s', (name) => {
    expect(codeWith({ items: [without(item(), name)] })).toBe('invalid_request');
    expect(codeWith({ items: [item({ [name]: null })] })).toBe('invalid_request');
  });

  it.each(['title', 'endedAt'])('may lack %s, but null is not lacking', (name) => {
    expect(codeWith({ items: [without(item(), name)] })).toBe('ok');
    expect(codeWith({ items: [item({ [name]: null })] })).toBe('invalid_request');
  });

  it.each(['x', 'x'.repeat(128), '🔔'.repeat(64)])('may have the id %j', (sessionID) => {
    expect(codeWith({ items: [item({ sessionID })] })).toBe('ok');
  });

  it.each(['', 'x'.repeat(129), `${'🔔'.repeat(64)}x`, 5])('may not have the id %j', (sessionID) => {
    expect(codeWith({ items: [item({ sessionID })] })).toBe('invalid_request');
    expect(codeWith({ items: [{ ...without(item(), 'sessionID'), sessionId: sessionID }] })).toBe(
      'invalid_request',
    );
  });

  it.each([null, '', 5, 'x'.repeat(129)])(
    'is not saved from the id %j by the older spelling',
    (sessionID) => {
      expect(codeWith({ items: [item({ sessionID, sessionId: 'ses_1' })] })).toBe('invalid_request');
    },
  );

  it('has one spelling of its id for the phone, whichever came', () => {
    const members = { ...without(item(), 'sessionID'), sessionId: 'ses_9' };
    expect(shownItem(members)).toBe('{"sessionID":"ses_9","title":"Build","status":"tool","startedAt":12}');
  });

  it('keeps the id in the spelling of the contract when both came', () => {
    expect(shownItem(item({ sessionId: 'other' }))).toBe(shownItem(item()));
  });

  it('has its members in the order of the contract, whatever the order they came in', () => {
    const members = { endedAt: 9.5, startedAt: 1, status: 'error', title: 'T', sessionID: 's' };
    expect(shownItem(members)).toBe(
      '{"sessionID":"s","title":"T","status":"error","startedAt":1,"endedAt":9.5}',
    );
  });

  it('loses members that the contract does not know', () => {
    expect(shownItem(item({ secret: 1, constructor: 2, extra: { deep: true } }))).toBe(shownItem(item()));
  });

  it('has an empty title when it has none', () => {
    expect(shownItem(without(item(), 'title'))).toBe(
      '{"sessionID":"ses_1","title":"","status":"tool","startedAt":12}',
    );
  });

  it.each([
    ['x'.repeat(80), 'x'.repeat(80)],
    ['x'.repeat(81), 'x'.repeat(80)],
    ['x'.repeat(10_000), 'x'.repeat(80)],
    ['🔔'.repeat(41), '🔔'.repeat(40)],
    [`x${'🔔'.repeat(40)}`, `x${'🔔'.repeat(39)}\ud83d`],
  ])('has its title cut at 80 units', (title, cut) => {
    expect((JSON.parse(shownItem(item({ title }))) as Body)['title']).toBe(cut);
  });

  it.each(['startedAt', 'endedAt'])('has a finite %s', (name) => {
    const text = JSON.stringify(without(item(), name)).slice(0, -1);
    const withNumber = (number: string): string =>
      codeWith({ items: [JSON.parse(`${text},"${name}":${number}}`) as unknown] });
    expect(['0', '-0', '-3.25', '1e300'].map(withNumber)).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(['1e999', '-1e999', '"1"'].map(withNumber)).toEqual([
      'invalid_request',
      'invalid_request',
      'invalid_request',
    ]);
  });
});
