import { generateKeyPairSync } from 'node:crypto';
import { twinSignature } from '@openchambery/testkit';
import type { PushRequest } from '@openchambery/testkit';
import type { Draft } from './draft.ts';
import { sign } from './draft.ts';
import type { Tools } from './fixtures.ts';
import type { Outcome } from './outcome.ts';

/** A request, and what may come of it. */
export interface Signed {
  readonly request: PushRequest;
  readonly outcomes: readonly Outcome[];
}

type Spoil = (draft: Draft, tools: Tools) => Signed;

/** Far beyond what clocks may be off, whatever the limit is set to. */
const FAR_MS = 86_400_000;
const OTHER_CURVE = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' });
const REFUSED: readonly Outcome[] = ['invalid_request', 'invalid_signature'];

/** Breaks one rule about who signed, when and what. */
export function spoilEnvelope(draft: Draft, tools: Tools): Signed {
  return tools.random.pick(SPOILS)(draft, tools);
}

function withMember(
  name: string,
  make: (tools: Tools, is: unknown) => unknown,
  outcomes: readonly Outcome[],
): Spoil {
  return (draft, tools) => {
    const { path, body } = sign(draft);
    return { request: { path, body: { ...body, [name]: make(tools, body[name]) } }, outcomes };
  };
}

function withKey(
  make: (tools: Tools, is: Draft['server']['identity']['publicJwk']) => unknown,
  outcomes: readonly Outcome[],
): Spoil {
  return (draft, tools) => {
    const { path, body } = sign(draft);
    const publicKeyJwk = make(tools, draft.server.identity.publicJwk);
    return { request: { path, body: { ...body, publicKeyJwk } }, outcomes };
  };
}

function withTs(make: (tools: Tools) => unknown, outcomes: readonly Outcome[]): Spoil {
  return (draft, tools) => ({ request: sign(draft, { ts: make(tools) as number }), outcomes });
}

const BAD: readonly Outcome[] = ['invalid_request'];

const SIGNATURES: readonly Spoil[] = [
  withMember('sig', ({ markers }) => markers.base64url(64), REFUSED),
  withMember('sig', ({ markers }) => markers.base64url(63), BAD),
  withMember('sig', ({ markers }) => markers.base64url(65), BAD),
  withMember('sig', ({ markers }) => markers.word(), BAD),
  withMember('sig', (_tools, sig) => `${String(sig)}==`, BAD),
  withMember('sig', (_tools, sig) => ` ${String(sig)}`, BAD),
  withMember('sig', () => 'A'.repeat(86), REFUSED),
  withMember('sig', ({ random }, sig) => flip(String(sig), random.integer(0, 85)), REFUSED),
  // It verifies as well, and it is seen for the first time.
  (draft) => {
    const { path, body } = sign(draft);
    return {
      request: { path, body: { ...body, sig: twinSignature(String(body['sig'])) } },
      outcomes: draft.outcomes,
    };
  },
  (draft, { markers }) => ({
    request: sign(draft, { signedText: markers.word() }),
    outcomes: ['invalid_signature'],
  }),
];

const KEYS: readonly Spoil[] = [
  withKey(({ markers }, jwk) => ({ ...jwk, x: markers.base64url(32) }), REFUSED),
  withKey(({ markers }, jwk) => ({ ...jwk, y: markers.base64url(32) }), REFUSED),
  withKey(({ markers }, jwk) => ({ ...jwk, x: markers.base64url(31) }), BAD),
  withKey(({ markers }, jwk) => ({ ...jwk, y: markers.word() }), BAD),
  withKey(({ markers }, jwk) => ({ ...jwk, d: markers.base64url(32) }), BAD),
  withKey(({ markers }, jwk) => ({ ...jwk, [markers.word()]: markers.word() }), BAD),
  withKey(({ markers }, jwk) => ({ ...jwk, crv: markers.word() }), BAD),
  withKey(({ markers }, jwk) => ({ ...jwk, kty: markers.word() }), BAD),
  withKey((_tools, { crv, kty, x, y }) => ({ crv, kty, x: y, y: x }), REFUSED),
  withKey((_tools, { x, y, kty }) => ({ kty, x, y }), BAD),
  withKey(() => OTHER_CURVE, BAD),
  withKey(({ markers }) => markers.base64url(64), BAD),
  withKey(({ markers }, jwk) => [jwk, markers.word()], BAD),
  withKey(({ markers }) => ({ kty: 'RSA', n: markers.base64url(256), e: 'AQAB' }), BAD),
  (draft, tools) => {
    const { random, fixtures } = tools;
    const { path, body } = sign(draft);
    const { publicJwk } = random.pick(fixtures.servers).identity;
    const outcomes: readonly Outcome[] =
      publicJwk === draft.server.identity.publicJwk ? draft.outcomes : ['invalid_signature'];
    return { request: { path, body: { ...body, publicKeyJwk: publicJwk } }, outcomes };
  },
];

const TIMES: readonly Spoil[] = [
  withTs(({ random }) => Date.now() - FAR_MS - random.next(), ['timestamp']),
  withTs(({ random }) => Date.now() + FAR_MS + random.next(), ['timestamp']),
  withTs(
    ({ random }) => random.pick([0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]),
    ['timestamp'],
  ),
  withTs(({ random }) => Date.now() + random.pick([0.5, 0.25]), BAD),
  withTs(({ random }) => random.pick([1e300, 2 ** 60, -1e21]), BAD),
  withTs(() => String(Date.now()), BAD),
  withTs(({ markers }) => markers.word(), BAD),
];

const SPOILS: readonly Spoil[] = [...SIGNATURES, ...KEYS, ...TIMES];

function flip(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
}
