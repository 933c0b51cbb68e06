import { describe, expect, it } from 'vitest';
import { parseLiveActivity } from '../../src/request/parse-live-activity.ts';
import {
  type Body,
  contentState,
  item,
  liveActivity,
  NOW_MS,
  TOKEN,
  tokens,
  without,
} from '../support/bodies.ts';
import { codeOf, taken } from '../support/verdicts.ts';

function code(members: Body): string {
  return codeOf(parseLiveActivity(liveActivity(members), NOW_MS));
}

function payload(members: Body, nowMs = NOW_MS): string {
  return taken(parseLiveActivity(liveActivity(members), nowMs)).content.payloads.ios?.toString() ?? '';
}

const ENDED = contentState({ endedAt: 1_700_000_001 });

describe('the event', () => {
  it.each(['update', 'end'])('may be %s', (event) => {
    expect(taken(parseLiveActivity(liveActivity({ event, contentState: ENDED }), NOW_MS)).content.event).toBe(
      event,
    );
  });

  it.each(['start', 'End', '', null, 5])('may not be %j', (event) => {
    expect(code({ event, contentState: ENDED })).toBe('invalid_request');
  });

  it('needs endedAt to be the end, and takes 0 for one', () => {
    expect(code({ event: 'end', contentState: contentState() })).toBe('invalid_request');
    expect(code({ event: 'end', contentState: contentState({ endedAt: 0 }) })).toBe('ok');
  });
});

describe.each(['dismissalDate', 'staleDate'])('%s', (name) => {
  it.each([0, -1, 1_700_000_000, Number.MAX_SAFE_INTEGER])('may be %d', (date) => {
    expect(code({ [name]: date })).toBe('ok');
  });

  it.each([0.5, '1', null, true, Number.POSITIVE_INFINITY])('may not be %j', (date) => {
    expect(code({ [name]: date })).toBe('invalid_request');
  });
});

describe('the rest', () => {
  it.each([1, 100])('may have %d tokens', (count) => {
    expect(code({ tokens: tokens(count) })).toBe('ok');
  });

  it.each([0, 101])('may not have %d tokens', (count) => {
    expect(code({ tokens: tokens(count) })).toBe('invalid_request');
  });

  it('goes to the sandbox unless it is said', () => {
    const environment = (members: Body): string =>
      taken(parseLiveActivity(liveActivity(members), NOW_MS)).content.environment;
    expect([environment({}), environment({ env: 'sandbox' }), environment({ env: 'production' })]).toEqual([
      'sandbox',
      'sandbox',
      'production',
    ]);
    expect(code({ env: null })).toBe('invalid_request');
  });

  it.each(['tokens', 'event', 'contentState'])('needs %s', (name) => {
    expect(codeOf(parseLiveActivity(without(liveActivity(), name), NOW_MS))).toBe('invalid_request');
    expect(code({ [name]: null })).toBe('invalid_request');
  });

  it('gives tokens on as sent', () => {
    const listed = [TOKEN.toUpperCase(), TOKEN, TOKEN];
    expect(taken(parseLiveActivity(liveActivity({ tokens: listed }), NOW_MS)).content.tokens).toEqual(listed);
  });
});

describe('the payload', () => {
  it('of an update holds the stale date and no other', () => {
    expect(payload({ staleDate: 5, dismissalDate: 6 })).toBe(
      '{"aps":{"timestamp":1700000000,"event":"update","content-state":' +
        '{"status":"working","eventVersion":3,"updatedAt":1700000000.5},"stale-date":5}}',
    );
  });

  it('of an end holds the dismissal date and no other', () => {
    expect(payload({ event: 'end', contentState: ENDED, staleDate: 5, dismissalDate: 0 })).toBe(
      '{"aps":{"timestamp":1700000000,"event":"end","content-state":' +
        '{"status":"working","eventVersion":3,"updatedAt":1700000000.5,"endedAt":1700000001},"dismissal-date":0}}',
    );
  });

  it.each([
    [NOW_MS + 999, 1_700_000_000],
    [NOW_MS + 1000, 1_700_000_001],
  ])('bears the second of its making, not of its signing', (nowMs, seconds) => {
    expect(payload({}, nowMs)).toContain(`"timestamp":${seconds},`);
  });

  it('holds the whole state as validated', () => {
    const state = contentState({
      title: 'T',
      workingCount: 2,
      items: [{ ...without(item(), 'sessionID'), sessionId: 's', noise: 1 }],
    });
    expect(payload({ contentState: state })).toBe(
      '{"aps":{"timestamp":1700000000,"event":"update","content-state":{"status":"working","eventVersion":3,' +
        '"updatedAt":1700000000.5,"title":"T","workingCount":2,' +
        '"items":[{"sessionID":"s","title":"Build","status":"tool","startedAt":12}]}}}',
    );
  });

  it('may have 4096 bytes and no more', () => {
    // Escapes take six bytes for each unit.
    const escaped = { title: '\u0001'.repeat(80), sessionID: '\u0001'.repeat(100) };
    const withIds = (length: number): Body => ({
      contentState: contentState({
        items: [item(escaped), item(escaped), item(escaped), item({ sessionID: 'x'.repeat(128), title: '' })],
        title: 'x'.repeat(length),
      }),
    });
    const room = 4096 - payload(withIds(0)).length;
    expect(room).toBeGreaterThan(0);
    const sized = (extra: number): Body => {
      const { contentState: state } = withIds(80) as { contentState: Body };
      const items = state['items'] as Body[];
      const rest = room - 80 + extra;
      const escapes = Math.floor(rest / 6);
      const title = '\u0001'.repeat(escapes) + 'x'.repeat(rest % 6);
      return { contentState: { ...state, items: [...items.slice(0, 3), { ...items[3], title }] } };
    };
    expect(Buffer.byteLength(payload(sized(0)))).toBe(4096);
    expect(code(sized(1))).toBe('invalid_request');
  });
});
