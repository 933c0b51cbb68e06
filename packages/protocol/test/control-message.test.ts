import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ControlMessage,
  encodeBase64url,
  formatControlMessage,
  parseControlMessage,
} from '../src/index.ts';
import { controlMessages } from './vectors.ts';

const connectionId = fc.uint8Array({ minLength: 16, maxLength: 16 }).map(encodeBase64url);
const message: fc.Arbitrary<ControlMessage> = fc.oneof(
  fc.record({ type: fc.constant('sync' as const), connectionIds: fc.array(connectionId) }),
  fc.record({ type: fc.constantFrom('connected' as const, 'disconnected' as const), connectionId }),
);

describe('formatControlMessage', () => {
  it.each(controlMessages.good)('writes $text', ({ message, text }) => {
    expect(formatControlMessage(message)).toBe(text);
  });

  it('writes the members of the contract alone', () => {
    const more = { later: 1, connectionId: 'AAECAwQFBgcICQoLDA0ODw', type: 'connected' } as const;
    expect(formatControlMessage(more)).toBe('{"type":"connected","connectionId":"AAECAwQFBgcICQoLDA0ODw"}');
  });
});

describe('parseControlMessage', () => {
  it.each([...controlMessages.good, ...controlMessages.tolerated])('reads $text', ({ message, text }) => {
    expect(parseControlMessage(text)).toEqual(message);
  });

  it.each(controlMessages.ignored)('ignores %s', (text) => {
    expect(parseControlMessage(text)).toBeUndefined();
  });

  it('reads back what was written', () => {
    fc.assert(
      fc.property(message, (written) => {
        expect(parseControlMessage(formatControlMessage(written))).toEqual(written);
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.json()),
        (text) => void parseControlMessage(text),
      ),
    );
    expect(parseControlMessage('['.repeat(1e5))).toBeUndefined();
  });
});
