import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClientHandshake } from '../../src/handshake/client-handshake.ts';
import { MESSAGES } from './steps.ts';

/** What the handshake says to a message, in a word and a code. */
function outcomeOf(handshake: ClientHandshake, text: string | undefined): string {
  if (text === undefined) return handshake.onCiphertext() === undefined ? 'open' : 'fail 1011';
  const step = handshake.onText(text);
  if (step.action === 'establish') return `establish ${step.isBatching}`;
  return step.action === 'fail' ? `fail ${step.fault.code}` : step.action;
}

describe('ClientHandshake', () => {
  const begun = (offersBatching = true): ClientHandshake => {
    const handshake = new ClientHandshake(offersBatching);
    handshake.begin();
    return handshake;
  };
  const established = (): ClientHandshake => {
    const handshake = begun();
    handshake.onText(MESSAGES['ready to batch'] ?? '');
    return handshake;
  };

  it.each([
    ['hello', 'ignore'],
    ['malformed hello', 'ignore'],
    ['ready', 'ignore'],
    ['ready to batch', 'ignore'],
    ['malformed ready', 'ignore'],
    ['other text', 'ignore'],
    ['ciphertext', 'fail 1011'],
  ])('before its hello, %s leads to: %s', (name, outcome) => {
    expect(outcomeOf(new ClientHandshake(true), MESSAGES[name])).toBe(outcome);
  });

  it.each([
    ['hello', 'ignore'],
    ['malformed hello', 'ignore'],
    ['ready', 'establish false'],
    ['ready to batch', 'establish true'],
    ['malformed ready', 'fail 1011'],
    ['other text', 'ignore'],
    ['ciphertext', 'fail 1011'],
  ])('before the ready, %s leads to: %s', (name, outcome) => {
    expect(outcomeOf(begun(), MESSAGES[name])).toBe(outcome);
  });

  it.each([
    ['hello', 'fail 1011'],
    ['malformed hello', 'fail 1011'],
    ['ready to batch', 'ignore'],
    ['ready', 'fail 1011'],
    ['malformed ready', 'fail 1011'],
    ['other text', 'fail 1011'],
    ['ciphertext', 'open'],
  ])('once established, %s leads to: %s', (name, outcome) => {
    expect(outcomeOf(established(), MESSAGES[name])).toBe(outcome);
  });

  it('does not batch when it has not offered to', () => {
    const handshake = begun(false);
    expect(outcomeOf(handshake, MESSAGES['ready to batch'])).toBe('establish false');
    expect(outcomeOf(handshake, MESSAGES['ready'])).toBe('ignore');
  });

  it('says hello once only', () => {
    expect(() => begun().begin()).toThrow('the hello was said before');
    expect(() => established().begin()).toThrow('the hello was said before');
  });

  it('holds to one ready, whatever comes', () => {
    const step = fc.constantFrom(...Object.keys(MESSAGES), 'begin');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const handshake = new ClientHandshake(true);
        let hasBegun = false;
        let ready: string | undefined;
        for (const name of steps) {
          if (name === 'begin') {
            if (!hasBegun) handshake.begin();
            hasBegun = true;
            continue;
          }
          const outcome = outcomeOf(handshake, MESSAGES[name]);
          const isReady = name === 'ready' || name === 'ready to batch';
          if (name === 'ciphertext') expect(outcome).toBe(ready === undefined ? 'fail 1011' : 'open');
          else if (ready !== undefined) expect(outcome).toBe(ready === name ? 'ignore' : 'fail 1011');
          else if (hasBegun && isReady) {
            ready = name;
            expect(outcome).toBe(`establish ${name === 'ready to batch'}`);
          } else if (hasBegun && name === 'malformed ready') expect(outcome).toBe('fail 1011');
          else expect(outcome).toBe('ignore');
          expect(handshake.isEstablished).toBe(ready !== undefined);
        }
      }),
    );
  });
});
