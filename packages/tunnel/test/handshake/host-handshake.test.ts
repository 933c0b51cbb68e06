import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HostHandshake } from '../../src/handshake/host-handshake.ts';
import { helloText, MESSAGES } from './steps.ts';

/** What the handshake says to a message, in a word and a code. */
function outcomeOf(handshake: HostHandshake, text: string | undefined): string {
  if (text === undefined) return handshake.onCiphertext() === undefined ? 'open' : 'fail 1011';
  const step = handshake.onText(text);
  return step.action === 'fail' ? `fail ${step.fault.code}` : step.action;
}

describe('HostHandshake', () => {
  const derived = (): HostHandshake => {
    const handshake = new HostHandshake();
    handshake.onText(helloText(0, 1));
    return handshake;
  };
  const established = (): HostHandshake => {
    const handshake = derived();
    handshake.establish();
    return handshake;
  };

  it.each([
    ['hello', 'derive'],
    ['hello, other key', 'derive'],
    ['malformed hello', 'fail 1011'],
    ['ready', 'ignore'],
    ['malformed ready', 'ignore'],
    ['other text', 'ignore'],
    ['ciphertext', 'fail 1011'],
  ])('before the hello, %s leads to: %s', (name, outcome) => {
    expect(outcomeOf(new HostHandshake(), MESSAGES[name])).toBe(outcome);
  });

  it.each([
    ['hello', 'ignore'],
    ['hello, other key', 'fail 1008'],
    ['hello, mirrored key', 'fail 1008'],
    ['hello, other nonce', 'fail 1008'],
    ['malformed hello', 'fail 1011'],
    ['ready', 'ignore'],
    ['other text', 'ignore'],
    ['ciphertext', 'fail 1011'],
  ])('while keys are made, %s leads to: %s', (name, outcome) => {
    expect(outcomeOf(derived(), MESSAGES[name])).toBe(outcome);
  });

  it.each([
    ['hello', 'answer-again'],
    ['hello, other key', 'fail 1008'],
    ['hello, mirrored key', 'fail 1008'],
    ['hello, other nonce', 'fail 1008'],
    ['malformed hello', 'fail 1011'],
    ['ready', 'fail 1011'],
    ['malformed ready', 'fail 1011'],
    ['other text', 'fail 1011'],
    ['ciphertext', 'open'],
  ])('once established, %s leads to: %s', (name, outcome) => {
    expect(outcomeOf(established(), MESSAGES[name])).toBe(outcome);
  });

  it('takes the same hello that no longer offers batching for the same', () => {
    expect(outcomeOf(established(), helloText(0, 1, false))).toBe('answer-again');
  });

  it('is not established by anyone but its owner, once', () => {
    expect(() => new HostHandshake().establish()).toThrow('no keys were asked for');
    expect(() => established().establish()).toThrow('no keys were asked for');
  });

  it('holds to one hello, whatever comes', () => {
    const step = fc.constantFrom(...Object.keys(MESSAGES), 'keys');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const handshake = new HostHandshake();
        let hello: string | undefined;
        let hasKeys = false;
        for (const name of steps) {
          if (name === 'keys') {
            if (hello !== undefined && !hasKeys) handshake.establish();
            hasKeys = hello !== undefined;
            continue;
          }
          const isHello = name.startsWith('hello');
          const outcome = outcomeOf(handshake, MESSAGES[name]);
          if (isHello && hello === undefined) {
            hello = name;
            expect(outcome).toBe('derive');
          } else if (isHello && hello === name) expect(outcome).toBe(hasKeys ? 'answer-again' : 'ignore');
          else if (isHello) expect(outcome).toBe('fail 1008');
          else if (name === 'malformed hello') expect(outcome).toBe('fail 1011');
          else if (name === 'ciphertext') expect(outcome).toBe(hasKeys ? 'open' : 'fail 1011');
          else expect(outcome).toBe(hasKeys ? 'fail 1011' : 'ignore');
          expect(handshake.isEstablished).toBe(hasKeys);
        }
      }),
    );
  });
});
