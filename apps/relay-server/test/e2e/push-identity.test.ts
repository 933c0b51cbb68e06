import { generateKeyPairSync, sign } from 'node:crypto';
import {
  activityRequest,
  makeDeviceToken,
  makeIdentity,
  registerActivityRequest,
  registerRequest,
  sendRequest,
  signText,
  twinSignature,
  unregisterActivityRequest,
} from '@openchambery/testkit';
import type { HostIdentity, PushRequest, PushRequestOptions } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import {
  boundServer,
  expectOk,
  expectRefused,
  post,
  postText,
  reaches,
  rowsOf,
} from './support/push-http.ts';
import { ownPush, usePush } from './support/push-setup.ts';

// Push API §1: who asks, when, and whether it is signed; the same on every route.

const SKEW_MS = 60_000;
/** What may pass between a test's clock and the process's look at its own. */
const MARGIN_MS = 10_000;
const setup = usePush({ limits: { TIMESTAMP_SKEW_MS: SKEW_MS, REPLAY_MS: 2 * SKEW_MS } });

type Maker = (identity: HostIdentity, options?: PushRequestOptions) => PushRequest;

/** A request that is valid, for each route. */
const makers: readonly (readonly [string, Maker])[] = [
  ['register-token', (identity, options) => registerRequest(identity, makeDeviceToken(), options)],
  [
    'register-live-activity-token',
    (identity, options) => registerActivityRequest(identity, makeDeviceToken(), options),
  ],
  [
    'unregister-live-activity-token',
    (identity, options) => unregisterActivityRequest(identity, makeDeviceToken(), options),
  ],
  [
    'send',
    (identity, options) => sendRequest(identity, { tokens: [makeDeviceToken()], title: 'title' }, options),
  ],
  [
    'live-activity',
    (identity, options) => {
      const contentState = { status: 'working', eventVersion: 1, updatedAt: 1 };
      return activityRequest(
        identity,
        { tokens: [makeDeviceToken()], event: 'update', contentState },
        options,
      );
    },
  ],
];

const register: Maker = (identity, options) => registerRequest(identity, makeDeviceToken(), options);

/** Posts a registration with changed members. */
function postWith(overrides: Record<string, unknown>): ReturnType<typeof post> {
  return post(setup, register(makeIdentity(), { overrides }));
}

describe('publicKeyJwk', () => {
  it.each([
    ['crv', 'kty', 'x', 'y'],
    ['y', 'x', 'kty', 'crv'],
    ['kty', 'crv', 'y', 'x'],
  ] as const)('may have its members in the order %s, %s, %s, %s', async (...names) => {
    const { identity, token } = await boundServer(setup);
    const publicKeyJwk = Object.fromEntries(names.map((name) => [name, identity.publicJwk[name]]));
    const request = sendRequest(
      identity,
      { tokens: [token], title: 'order' },
      { overrides: { publicKeyJwk } },
    );
    // It is the same server: its token is reached.
    expect(rowsOf(await post(setup, request))).toEqual([{ token, ok: true }]);
  });

  const { publicJwk } = makeIdentity();
  const { x, y } = publicJwk;
  /** The same 32 bytes in another spelling: the last character has two bits that mean nothing. */
  const respelled = `${x.slice(0, -1)}${String.fromCharCode(x.charCodeAt(x.length - 1) + 1)}`;

  it.each([
    ['is missing', undefined],
    ['is null', null],
    ['is a string', JSON.stringify(publicJwk)],
    ['is an array', [publicJwk]],
    ['is empty', {}],
    ['lacks crv', { kty: 'EC', x, y }],
    ['lacks kty', { crv: 'P-256', x, y }],
    ['lacks x', { crv: 'P-256', kty: 'EC', y }],
    ['lacks y', { crv: 'P-256', kty: 'EC', x }],
    ['has kid', { ...publicJwk, kid: 'a' }],
    ['has use', { ...publicJwk, use: 'sig' }],
    ['has alg', { ...publicJwk, alg: 'ES256' }],
    ['has ext', { ...publicJwk, ext: true }],
    ['has d', { ...publicJwk, d: x }],
    ['has a null member', { ...publicJwk, kid: null }],
    ['has null for x', { ...publicJwk, x: null }],
    ['has a number for x', { ...publicJwk, x: 1 }],
    ['names another curve', { ...publicJwk, crv: 'P-384' }],
    ['names the curve in lower case', { ...publicJwk, crv: 'p-256' }],
    ['names another key type', { ...publicJwk, kty: 'OKP' }],
    ['has a point off the curve', { ...publicJwk, y: Buffer.alloc(32, 7).toString('base64url') }],
    ['has the point 0, 0', { ...publicJwk, x: 'A'.repeat(43), y: 'A'.repeat(43) }],
    ['has x and y exchanged', { ...publicJwk, x: y, y: x }],
    ['has padding', { ...publicJwk, x: `${x}=` }],
    ['has a space', { ...publicJwk, x: `${x} ` }],
    ['has base64 instead of base64url', { ...publicJwk, x: `+${x.slice(1)}`, y: `/${y.slice(1)}` }],
    ['has 31 bytes', { ...publicJwk, x: Buffer.alloc(31, 1).toString('base64url') }],
    ['has 33 bytes', { ...publicJwk, x: Buffer.alloc(33).toString('base64url') }],
    ['has a zero byte in front', { ...publicJwk, x: `A${x}` }],
    ['is not canonical', { ...publicJwk, x: respelled }],
  ])('that %s is 400', async (_name, publicKeyJwk) => {
    expectRefused(await postWith({ publicKeyJwk }), 400, 'invalid_request');
  });

  it.each(['P-384', 'P-521', 'secp256k1'])('of curve %s is 400', async (namedCurve) => {
    const pair = generateKeyPairSync('ec', { namedCurve });
    expectRefused(
      await postWith({ publicKeyJwk: pair.publicKey.export({ format: 'jwk' }) }),
      400,
      'invalid_request',
    );
  });

  it.each(['ed25519', 'x25519'] as const)('of type %s is 400', async (type) => {
    const { publicKey } = type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('x25519');
    expectRefused(
      await postWith({ publicKeyJwk: publicKey.export({ format: 'jwk' }) }),
      400,
      'invalid_request',
    );
  });

  it.each(makers)('is checked on %s', async (_name, make) => {
    const request = make(makeIdentity(), { overrides: { publicKeyJwk: { ...publicJwk, kid: 'a' } } });
    expectRefused(await post(setup, request), 400, 'invalid_request');
  });
});

describe('ts', () => {
  it.each([-(SKEW_MS - MARGIN_MS), SKEW_MS - MARGIN_MS])('may be %i ms away', async (awayMs) => {
    for (const [, make] of makers) {
      const answer = await post(setup, make(makeIdentity(), { ts: Date.now() + awayMs }));
      expect(answer.status, answer.text).toBe(200);
    }
  });

  // Ahead: the process looks later than the test, so the distance has shrunk by the time it does.
  it.each([-(SKEW_MS + 1), SKEW_MS + MARGIN_MS])('%i ms away is 401', async (awayMs) => {
    for (const [, make] of makers) {
      const answer = await post(setup, make(makeIdentity(), { ts: Date.now() + awayMs }));
      expectRefused(answer, 401, 'timestamp');
    }
  });

  it('may be five minutes away by default', async () => {
    const own = await ownPush({ limits: { TIMESTAMP_SKEW_MS: '', REPLAY_MS: '' } });
    for (const awayMs of [-(300_000 - MARGIN_MS), 300_000 - MARGIN_MS]) {
      expectOk(await post(own, register(makeIdentity(), { ts: Date.now() + awayMs })));
    }
    for (const awayMs of [-300_001, 300_000 + MARGIN_MS]) {
      expectRefused(await post(own, register(makeIdentity(), { ts: Date.now() + awayMs })), 401, 'timestamp');
    }
  });

  it.each([0, 1])('of %i is 401', async (ts) => {
    expectRefused(await post(setup, register(makeIdentity(), { ts })), 401, 'timestamp');
  });

  it.each([-1, 1e15, Number.MAX_SAFE_INTEGER, 1e20, 1e300])(
    'of %d is refused, whatever it is called',
    async (ts) => {
      const answer = await post(setup, register(makeIdentity(), { ts }));
      expect([400, 401]).toContain(answer.status);
      expect([{ error: 'invalid_request' }, { error: 'timestamp' }]).toContainEqual(answer.json);
    },
  );

  it('in seconds is 401', async () => {
    const ts = Math.floor(Date.now() / 1000);
    expectRefused(await post(setup, register(makeIdentity(), { ts })), 401, 'timestamp');
  });

  it.each([
    ['missing', undefined],
    ['null', null],
    ['a string', String(Date.now())],
    ['a fraction', Date.now() + 0.5],
    ['true', true],
    ['an array', [Date.now()]],
    ['an object', {}],
  ])('that is %s is 400', async (_name, ts) => {
    for (const [, make] of makers) {
      expectRefused(await post(setup, make(makeIdentity(), { overrides: { ts } })), 400, 'invalid_request');
    }
  });

  it('too large for JSON is 400', async () => {
    const { path, body } = register(makeIdentity());
    const text = JSON.stringify(body).replace(/"ts":\d+/u, '"ts":1e999');
    expectRefused(await postText(setup, path, text), 400, 'invalid_request');
  });
});

describe('sig', () => {
  it.each(makers)('on %s is over the text of that route', async (_name, make) => {
    expect((await post(setup, make(makeIdentity()))).status).toBe(200);
  });

  it.each(makers)('on %s over another text is 401', async (_name, make) => {
    const request = make(makeIdentity(), { signedText: 'another text' });
    expectRefused(await post(setup, request), 401, 'invalid_signature');
  });

  it.each(makers)('on %s by another key is 401', async (_name, make) => {
    const { publicJwk: publicKeyJwk } = makeIdentity();
    const request = make(makeIdentity(), { overrides: { publicKeyJwk } });
    expectRefused(await post(setup, request), 401, 'invalid_signature');
  });

  it.each(makers)('on %s does not cover another ts', async (_name, make) => {
    const request = make(makeIdentity(), { overrides: { ts: Date.now() + 5 } });
    expectRefused(await post(setup, request), 401, 'invalid_signature');
  });

  it('does not cover another token', async () => {
    expectRefused(await postWith({ token: makeDeviceToken() }), 401, 'invalid_signature');
  });

  it('covers the token as it was sent: the other case is another text', async () => {
    const token = makeDeviceToken();
    const request = registerRequest(makeIdentity(), token, { overrides: { token: token.toUpperCase() } });
    expectRefused(await post(setup, request), 401, 'invalid_signature');
  });

  it('of a send covers its tokens and its title, and nothing else', async () => {
    const { identity, token } = await boundServer(setup);
    const fields = { tokens: [token], title: 'covered' };
    const tampered = [{ title: 'other' }, { tokens: [makeDeviceToken()] }, { tokens: [token, token] }];
    for (const overrides of tampered) {
      const answer = await post(setup, sendRequest(identity, fields, { overrides }));
      expectRefused(answer, 401, 'invalid_signature');
    }
    const request = sendRequest(identity, fields, { overrides: { body: 'a body added later' } });
    expect(rowsOf(await post(setup, request))).toEqual([{ token, ok: true }]);
  });

  it('of a send is over the tokens sorted by code unit, whatever their order', async () => {
    const { identity, tokens } = await boundServer(setup, 6);
    const mixed = tokens.map((token, index) => (index % 2 === 0 ? token.toUpperCase() : token));
    const answer = await post(setup, sendRequest(identity, { tokens: mixed, title: 'sorted' }));
    expect(rowsOf(answer)).toEqual(mixed.map((token) => ({ token, ok: true })));
  });

  it('of a send over unsorted tokens is 401', async () => {
    const { identity, tokens } = await boundServer(setup, 3);
    const descending = [...tokens].sort().toReversed();
    const ts = Date.now();
    const signedText = `${ts}.${descending.join(',')}.unsorted`;
    const answer = await post(
      setup,
      sendRequest(identity, { tokens: descending, title: 'unsorted' }, { ts, signedText }),
    );
    expectRefused(answer, 401, 'invalid_signature');
  });

  it.each([
    ['missing', undefined],
    ['null', null],
    ['a number', 1],
    ['an array', ['a']],
  ])('that is %s is 400', async (_name, sig) => {
    for (const [, make] of makers) {
      expectRefused(await post(setup, make(makeIdentity(), { overrides: { sig } })), 400, 'invalid_request');
    }
  });

  /** Whether the text of the contract counts as badly formed or as badly signed is not said. */
  async function expectUnsigned(
    change: (sig: string, text: string, identity: HostIdentity) => string,
  ): Promise<void> {
    const identity = makeIdentity();
    const token = makeDeviceToken();
    const ts = Date.now();
    const text = `${ts}.${token}.ios`;
    const sig = change(signText(identity, text), text, identity);
    const answer = await post(setup, registerRequest(identity, token, { ts, overrides: { sig } }));
    expect([400, 401]).toContain(answer.status);
    expect([{ error: 'invalid_request' }, { error: 'invalid_signature' }]).toContainEqual(answer.json);
    expect(await reaches(setup, identity, token)).toBe(false);
  }

  it.each([
    ['is empty', () => ''],
    ['has padding', (sig: string) => `${sig}==`],
    ['is in base64', (sig: string) => Buffer.from(sig, 'base64url').toString('base64')],
    ['is in hexadecimal', (sig: string) => Buffer.from(sig, 'base64url').toString('hex')],
    // 64 bytes are 86 characters, of which the last has four bits that mean nothing.
    [
      'is not canonical',
      (sig: string) =>
        `${sig.slice(0, -1)}${sig.endsWith('A') ? 'B' : sig.endsWith('Q') ? 'R' : sig.endsWith('g') ? 'h' : 'x'}`,
    ],
    ['has a line break', (sig: string) => `${sig}\n`],
    ['has 63 bytes', (sig: string) => Buffer.from(sig, 'base64url').subarray(0, 63).toString('base64url')],
    [
      'has 65 bytes',
      (sig: string) => Buffer.concat([Buffer.from(sig, 'base64url'), Buffer.alloc(1)]).toString('base64url'),
    ],
    ['is all zero', () => Buffer.alloc(64).toString('base64url')],
    ['is all ones', () => Buffer.alloc(64, 255).toString('base64url')],
  ])('that %s does not count', async (_name, change) => {
    await expectUnsigned(change);
  });

  it('in DER does not count', async () => {
    await expectUnsigned((_sig, text, { privateKey }) => {
      return sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'der' }).toString('base64url');
    });
  });

  it('may be the twin (r, n−s) of the one that was made', async () => {
    const identity = makeIdentity();
    const token = makeDeviceToken();
    const { path, body } = registerRequest(identity, token);
    const request = { path, body: { ...body, sig: twinSignature(String(body['sig'])) } };
    expectOk(await post(setup, request));
    expect(await reaches(setup, identity, token)).toBe(true);
  });
});
