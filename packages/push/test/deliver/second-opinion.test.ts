import { FakeClock } from '@openchambery/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { SecondOpinion } from '../../src/deliver/second-opinion.ts';
import {
  ACCEPTED,
  dead,
  KEY_FAULT,
  LATER,
  MISMATCH,
  REQUEST_FAULT,
  UNKNOWN,
} from '../support/scripted-provider.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let clock: FakeClock;
let opinion: SecondOpinion;

beforeEach(() => {
  clock = new FakeClock();
  opinion = new SecondOpinion(clock);
});

function ask(serverId: string, count: number, first = 0): boolean[] {
  return Array.from({ length: count }, (_, index) =>
    opinion.mayAsk(serverId, `${serverId} ${first + index}`),
  );
}

describe('the budget of a server', () => {
  it('is a whole request of tokens in a minute, and not one more', () => {
    expect(ask('s', 100)).not.toContain(false);
    expect(opinion.mayAsk('s', 'one more')).toBe(false);
    expect(opinion.mayAsk('t', 'one more')).toBe(true);
  });

  it('is there again after a minute', () => {
    ask('s', 100);
    clock.advance(MINUTE_MS - 1);
    expect(opinion.mayAsk('s', 'x')).toBe(false);
    clock.advance(1);
    expect(opinion.mayAsk('s', 'x')).toBe(true);
  });
});

describe('the budget of all', () => {
  it('is that of ten servers, and not one more', () => {
    for (let server = 0; server < 10; server++) expect(ask(`s${server}`, 100)).not.toContain(false);
    expect(opinion.mayAsk('another', 'x')).toBe(false);
    clock.advance(MINUTE_MS);
    expect(opinion.mayAsk('another', 'x')).toBe(true);
  });

  it('costs a server nothing when it is spent', () => {
    for (let server = 0; server < 10; server++) {
      ask(`s${server}`, 100);
      clock.advance(1000);
    }
    expect(ask('another', 200)).not.toContain(true);
    clock.advance(MINUTE_MS - 10_000);
    // The first hundred places are free again, and nothing was counted for them meanwhile.
    expect(ask('another', 100)).not.toContain(false);
  });
});

describe('asking in vain', () => {
  it.each([KEY_FAULT, REQUEST_FAULT])('is remembered for an hour: %j', (outcome) => {
    expect(opinion.mayAsk('s', 'token')).toBe(true);
    opinion.heard('token', outcome);
    expect(opinion.mayAsk('s', 'token')).toBe(false);
    expect(opinion.mayAsk('t', 'token')).toBe(false);
    expect(opinion.mayAsk('s', 'another')).toBe(true);
    clock.advance(HOUR_MS - 1);
    expect(opinion.mayAsk('s', 'token')).toBe(false);
    clock.advance(1);
    expect(opinion.mayAsk('s', 'token')).toBe(true);
  });

  it.each([ACCEPTED, MISMATCH, LATER, UNKNOWN, dead(1)])('is not what %j was', (outcome) => {
    opinion.heard('token', outcome);
    expect(opinion.mayAsk('s', 'token')).toBe(true);
  });

  it('is not forgotten for all the tokens that were only asked about', () => {
    opinion.heard('token', KEY_FAULT);
    for (let minute = 0; minute < 15; minute++) {
      for (let server = 0; server < 10; server++) ask(`s${server}`, 100, 100 * minute);
      clock.advance(MINUTE_MS);
    }
    expect(opinion.mayAsk('s', 'token')).toBe(false);
  });

  it('takes nothing from the budget', () => {
    opinion.heard('token', KEY_FAULT);
    for (let count = 0; count < 200; count++) expect(opinion.mayAsk('s', 'token')).toBe(false);
    expect(ask('s', 100)).not.toContain(false);
  });
});
