import { encodeBase64url, type PublicJwk } from '@openchambery/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatPairingLink,
  isPairingSecret,
  type PairingFacts,
  parsePairingLink,
  RelayUrlError,
} from '../../src/index.ts';
import vectors from '../../vectors/pairing-links.json' with { type: 'json' };
import { agreements } from '../handshake/vectors.ts';

const formatted = vectors.formatted as readonly {
  name: string;
  facts: PairingFacts;
  pageUrl?: string;
  link: string;
}[];
const tolerated = vectors.tolerated as readonly { name: string; facts: PairingFacts; link: string }[];

const publicJwks: readonly PublicJwk[] = agreements.flatMap(({ host, client }) =>
  [host, client].map(({ kty, crv, x, y }) => ({ kty, crv, x, y })),
);
const bytes = (length: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map(encodeBase64url);
const path = fc.webPath().map((path) => path.slice(0, 100));
const facts: fc.Arbitrary<PairingFacts> = fc
  .record({
    relayUrl: fc
      .tuple(fc.constantFrom('ws', 'wss'), fc.domain(), fc.nat(65_535), path)
      .map(([scheme, host, port, path]) => new URL(`${scheme}://${host}:${port}${path}`).href),
    serverId: bytes(32),
    hostEncPubJwk: fc.constantFrom(...publicJwks),
    secret: fc.option(bytes(16), { nil: undefined }),
  })
  .map(({ secret, ...facts }) => (secret === undefined ? facts : { ...facts, secret }));

describe('a pairing link', () => {
  it.each(formatted)('is the golden one: $name', ({ facts, pageUrl, link }) => {
    expect(formatPairingLink(facts, pageUrl)).toBe(link);
    if (pageUrl !== undefined) expect(formatPairingLink(facts, new URL(pageUrl))).toBe(link);
  });

  it.each([...formatted, ...tolerated])('is read: $name', ({ facts, link }) => {
    expect(parsePairingLink(link)).toEqual(facts);
  });

  it.each(vectors.refused)('is refused: $name', ({ fault, link }) => {
    expect(parsePairingLink(link)).toMatchObject({ fault });
    expect(parsePairingLink(`https://app.example/?a=b#${link.split('#').at(-1)}`)).toMatchObject({ fault });
  });

  it('says what is allowed, and nothing of the secret', () => {
    const messages = vectors.refused.map(({ link }) => {
      const result = parsePairingLink(link);
      return 'fault' in result ? result.message : '';
    });
    for (const message of messages) expect(message).toMatch(/base64url|v=1|wss:\/\/|is allowed once/);
    const secret = formatted[0]?.facts.secret ?? '';
    for (const message of messages) expect(message).not.toContain(secret);
  });

  it('leads back to its facts, for any page', () => {
    const page = fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.constantFrom(undefined, 'openchamber://pair', 'http://localhost:5173/?v=9#v=1&r=x', '/relative?r=1'),
    );
    fc.assert(
      fc.property(facts, page, (facts, page) => {
        const link = formatPairingLink(facts, page);
        expect(parsePairingLink(link)).toEqual(facts);
        expect(parsePairingLink(link.slice(link.indexOf('#')))).toEqual(facts);
        expect(link.split('#')).toHaveLength(2);
      }),
    );
  });

  it('is never read with a fault of ours, whatever the text', () => {
    const known = fc.constantFrom(
      'v=1',
      'v=',
      'r=wss://a',
      'h=',
      'k=AAAA',
      's=',
      '#',
      '&',
      '=',
      '%',
      '%zz',
      '?',
      '+',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.oneof(known, fc.string())).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, (text) => {
        expect(parsePairingLink(text)).toHaveProperty('fault');
      }),
    );
  });

  it('is looked at up to 8192 characters of fragment, whatever is in front of it', () => {
    const [{ link } = { link: '' }] = formatted;
    const fragment = link.slice(link.indexOf('#') + 1);
    const padded = `${fragment}&x=`.padEnd(8192, 'x');
    expect(parsePairingLink(`https://a.example/?${'q'.repeat(9000)}#${padded}`)).not.toHaveProperty('fault');
    expect(parsePairingLink(`#${padded}x`)).toMatchObject({ fault: 'too-long' });
  });
});

describe('formatPairingLink', () => {
  const [{ facts } = { facts: undefined }] = formatted;
  if (facts === undefined) throw new Error('there are no links');

  it('gives the relay URL its one form', () => {
    const link = formatPairingLink({ ...facts, relayUrl: 'WSS://Relay.Example:443/ws?token=x#y' });
    expect(link).toBe(formatted[0]?.link);
  });

  it.each<[string, Partial<PairingFacts>]>([
    ['server id', { serverId: 'x' }],
    ['key', { hostEncPubJwk: { ...facts.hostEncPubJwk, x: facts.hostEncPubJwk.y } }],
    ['key', { hostEncPubJwk: { ...facts.hostEncPubJwk, x: '' } }],
    ['secret', { secret: 'x' }],
    ['too long', { relayUrl: `wss://relay.example/${'x'.repeat(8192)}` }],
  ])('throws for what could not be read back: %s', (name, wrong) => {
    expect(() => formatPairingLink({ ...facts, ...wrong })).toThrow(name);
  });

  it('throws for a relay URL that is none', () => {
    expect(() => formatPairingLink({ ...facts, relayUrl: 'https://relay.example' })).toThrow(RelayUrlError);
  });
});

describe('isPairingSecret', () => {
  it('takes the canonical text of 16 bytes alone', () => {
    expect(isPairingSecret(encodeBase64url(new Uint8Array(16)))).toBe(true);
    expect(isPairingSecret(encodeBase64url(new Uint8Array(15)))).toBe(false);
    expect(isPairingSecret(encodeBase64url(new Uint8Array(17)))).toBe(false);
    expect(isPairingSecret('')).toBe(false);
  });
});
