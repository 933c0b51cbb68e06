import { makeDeviceToken, makeIdentity, sendRequest } from '@openchambery/testkit';
import type { HostIdentity, RecordedRequest, SendFields } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import {
  boundServer,
  expectRefused,
  post,
  postText,
  register,
  requestsFor,
  requestsTotal,
  rowsOf,
  send,
  uniqueTitle,
} from './support/push-http.ts';
import { BUNDLE_ID, usePush } from './support/push-setup.ts';

// Push API §3: what a send may ask for, and what reaches Apple.

const setup = usePush();

/** Sends to a fresh token, and gives back the one request that arrived at the sandbox. */
async function deliver(fields: Partial<SendFields>): Promise<RecordedRequest> {
  const { identity, token } = await boundServer(setup);
  expect(await send(setup, identity, { tokens: [token], ...fields })).toEqual([{ token, ok: true }]);
  const [request, ...more] = requestsFor(setup.sandbox, token);
  if (request === undefined) throw new Error('nothing arrived');
  expect(more).toEqual([]);
  return request;
}

/** A send to a bound token with changed members is 400 and sends nothing. */
async function expectInvalid(overrides: Record<string, unknown>): Promise<void> {
  const { identity, token } = await boundServer(setup);
  const title = typeof overrides['title'] === 'string' ? overrides['title'] : uniqueTitle();
  const before = requestsTotal(setup);
  const answer = await post(setup, sendRequest(identity, { tokens: [token], title }, { overrides }));
  expectRefused(answer, 400, 'invalid_request');
  expect(requestsTotal(setup)).toBe(before);
}

/** The payload of the contract. */
function payloadOf(fields: Omit<SendFields, 'tokens' | 'env'>): unknown {
  const { title, body, badge, collapseId, data } = fields;
  return {
    aps: {
      alert: { title, ...(body === undefined ? {} : { body }) },
      sound: 'default',
      'mutable-content': 1,
      ...(badge === undefined ? {} : { badge }),
      ...(collapseId === undefined ? {} : { 'thread-id': collapseId }),
    },
    ...data,
  };
}

describe('what reaches Apple', () => {
  it('of a title alone', async () => {
    const title = uniqueTitle();
    const { payload, headers, jwt } = await deliver({ title });
    expect(payload).toEqual(payloadOf({ title }));
    expect(headers).toMatchObject({
      ':method': 'POST',
      'apns-topic': BUNDLE_ID,
      'apns-push-type': 'alert',
      'apns-priority': '10',
    });
    expect(headers).not.toHaveProperty('apns-collapse-id');
    expect(jwt).toMatchObject({ valid: true, kid: setup.key.keyId, iss: setup.key.teamId });
  });

  it('of everything', async () => {
    const data = { session: 'the session it is about', kind: 'question' };
    const fields = { title: uniqueTitle(), body: 'what it says', badge: 3, collapseId: 'thread 1', data };
    const { payload, headers } = await deliver(fields);
    expect(payload).toEqual(payloadOf(fields));
    expect(headers).toMatchObject({ 'apns-collapse-id': 'thread 1', 'apns-priority': '10' });
  });

  it.each([
    ['an empty body', { body: '' }],
    ['an empty collapseId', { collapseId: '' }],
    ['no data', { data: {} }],
  ])('of %s is what it would be without', async (_name, fields) => {
    const title = uniqueTitle();
    const { payload, headers } = await deliver({ title, ...fields });
    expect(payload).toEqual(payloadOf({ title }));
    expect(headers).not.toHaveProperty('apns-collapse-id');
  });

  it('of text that JSON has to escape, or that is not ASCII', async () => {
    const fields = {
      title: 'a "quote" \\ \u0007 \u2028',
      body: 'line\nline\ttab 🎉 é \ud800',
      data: { ключ: '值' },
    };
    const { payload } = await deliver({ ...fields, body: 'line\nline\ttab 🎉 é' });
    expect(payload).toEqual(payloadOf({ ...fields, body: 'line\nline\ttab 🎉 é' }));
  });

  it('carries an id that names one push', async () => {
    const [first, second] = [await deliver({}), await deliver({})];
    expect(first.apnsId).not.toBe(second.apnsId);
  });

  it('goes to the sandbox by default, and to the environment that is named', async () => {
    const { identity, token } = await boundServer(setup);
    const counts = (): unknown => [setup.sandbox.count(token), setup.production.count(token)];
    await send(setup, identity, { tokens: [token] });
    expect(counts()).toEqual([1, 0]);
    await send(setup, identity, { tokens: [token], env: 'sandbox' });
    expect(counts()).toEqual([2, 0]);
    const other = makeDeviceToken();
    await register(setup, identity, other);
    await send(setup, identity, { tokens: [other], env: 'production' });
    expect([setup.sandbox.count(other), setup.production.count(other)]).toEqual([0, 1]);
  });
});

describe('a member at its limit', () => {
  it.each([
    ['a title of 1 byte', { title: 'x' }],
    ['a title of 256 bytes', { title: 'x'.repeat(256) }],
    ['a title of 256 bytes in 64 characters', { title: '🎉'.repeat(64) }],
    ['a body of 1024 bytes', { body: 'x'.repeat(1024) }],
    ['a body of 1024 bytes in 512 characters', { body: 'é'.repeat(512) }],
    ['a badge of 0', { badge: 0 }],
    ['a large badge', { badge: 2_147_483_647 }],
    ['a collapseId of 1 byte', { collapseId: '!' }],
    ['a collapseId of 64 bytes', { collapseId: 'x'.repeat(64) }],
    ['a collapseId of all that is printable, 1', { collapseId: '!"#$%&\'()*+,-./0123456789:;<=>?@' }],
    ['a collapseId of all that is printable, 2', { collapseId: 'A[\\]^_`a{|}~ a' }],
  ])('%s is sent as it is', async (_name, fields) => {
    const title = uniqueTitle();
    const { payload, headers } = await deliver({ title, ...fields });
    expect(payload).toEqual(payloadOf({ title, ...fields }));
    expect(headers['apns-collapse-id']).toBe('collapseId' in fields ? fields.collapseId : undefined);
  });

  it.each([
    ['a title that is empty', { title: '' }],
    ['a title of 257 bytes', { title: 'x'.repeat(257) }],
    ['a title of 258 bytes in 129 characters', { title: 'é'.repeat(129) }],
    ['a title of null', { title: null }],
    ['no title', { title: undefined }],
    ['a title that is a number', { title: 1 }],
    ['a title that is an object', { title: { body: 'x' } }],
    ['a body of 1025 bytes', { body: 'x'.repeat(1025) }],
    ['a body of 1026 bytes in 513 characters', { body: 'é'.repeat(513) }],
    ['a body of null', { body: null }],
    ['a body that is a number', { body: 1 }],
    ['a badge of -1', { badge: -1 }],
    ['a badge of 1.5', { badge: 1.5 }],
    ['a badge of null', { badge: null }],
    ['a badge that is a string', { badge: '1' }],
    ['a badge of true', { badge: true }],
    ['a collapseId of 65 bytes', { collapseId: 'x'.repeat(65) }],
    ['a collapseId of null', { collapseId: null }],
    ['a collapseId that is a number', { collapseId: 1 }],
    ['a collapseId with a line break', { collapseId: 'a\r\napns-priority: 5' }],
    ['a collapseId with a tab', { collapseId: 'a\tb' }],
    ['a collapseId with a zero byte', { collapseId: 'a\u0000' }],
    ['a collapseId with DEL', { collapseId: 'a\u007f' }],
    ['a collapseId that is not ASCII', { collapseId: 'é' }],
    ['an env of null', { env: null }],
    ['an env that is empty', { env: '' }],
    ['an env of development', { env: 'development' }],
    ['an env in upper case', { env: 'Sandbox' }],
    ['an env of constructor', { env: 'constructor' }],
    ['an env that is a list', { env: ['sandbox'] }],
  ])('%s is 400', async (_name, overrides) => {
    await expectInvalid(overrides);
  });

  it('a badge too large for a number is 400', async () => {
    const { identity, token } = await boundServer(setup);
    const { path, body } = sendRequest(identity, { tokens: [token], title: 'badge', badge: 77 });
    const text = JSON.stringify(body).replace('"badge":77', '"badge":1e999');
    expectRefused(await postText(setup, path, text), 400, 'invalid_request');
  });
});

describe('data', () => {
  const entries = (count: number, value = 'v'): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${String(i).padStart(2, '0')}`, value]));

  it.each([
    ['16 entries', entries(16)],
    ['a key of 64 bytes', { ['k'.repeat(64)]: 'v' }],
    ['a key of 64 bytes in 32 characters', { ['é'.repeat(32)]: 'v' }],
    ['a value of 256 bytes', { key: 'v'.repeat(256) }],
    ['a value of 256 bytes in 128 characters', { key: 'é'.repeat(128) }],
    ['an empty value', { key: '' }],
    // Below 2048 bytes however they are counted: as JSON, too.
    ['7 entries of 256 bytes', entries(7, 'v'.repeat(256))],
    ['a key that all objects inherit', { constructor: 'a', toString: 'b', hasOwnProperty: 'c' }],
    ['keys like aps', { APS: 'a', 'aps ': 'b', ap: 'c', alert: 'd' }],
  ])('may have %s', async (_name, data) => {
    const title = uniqueTitle();
    const { payload } = await deliver({ title, data });
    expect(payload).toEqual(payloadOf({ title, data }));
  });

  it('may have a key __proto__, which is a key like any other', async () => {
    const data = JSON.parse('{"__proto__":"the value of the key","other":"o"}') as Record<string, string>;
    const { payload } = await deliver({ data });
    expect(Object.entries(payload as object)).toContainEqual(['__proto__', 'the value of the key']);
    expect(Object.entries(payload as object)).toContainEqual(['other', 'o']);
  });

  it.each([
    ['17 entries', entries(17)],
    ['an empty key', { '': 'v' }],
    ['a key of 65 bytes', { ['k'.repeat(65)]: 'v' }],
    ['a key of 66 bytes in 33 characters', { ['é'.repeat(33)]: 'v' }],
    ['the key aps', { aps: 'v' }],
    ['the key aps among others', { a: 'v', aps: 'v' }],
    ['a value of 257 bytes', { key: 'v'.repeat(257) }],
    ['a value of 258 bytes in 129 characters', { key: 'é'.repeat(129) }],
    // Above 2048 bytes however they are counted: values alone, too.
    ['2049 bytes', { ...entries(8, 'v'.repeat(256)), more: 'v' }],
    ['4096 bytes', entries(16, 'v'.repeat(256))],
    ['an object as a value', { key: { a: 'b' } }],
    ['a list as a value', { key: ['a'] }],
    ['a number as a value', { key: 1 }],
    ['true as a value', { key: true }],
    ['null as a value', { key: null }],
  ])('may not have %s', async (_name, data) => {
    await expectInvalid({ data });
  });

  it.each([
    ['null', null],
    ['a list', ['a']],
    ['an empty list', []],
    ['a string', 'a'],
    ['a number', 1],
  ])('may not be %s', async (_name, data) => {
    await expectInvalid({ data });
  });
});

describe('the payload', () => {
  /** Fields whose payload has exactly `bytes` bytes: quotation marks count twice in JSON. */
  function fieldsOf(bytes: number): Omit<SendFields, 'tokens'> {
    const data = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => [key, '"'.repeat(256)]));
    const fields = (quotes: number, letters: number): Omit<SendFields, 'tokens'> => ({
      title: 't',
      body: '"'.repeat(quotes) + 'x'.repeat(letters),
      data,
    });
    const sizeOf = (candidate: Omit<SendFields, 'tokens'>): number =>
      Buffer.byteLength(JSON.stringify(payloadOf(candidate)));
    const missing = bytes - sizeOf({ ...fields(0, 0), body: '' });
    const chosen = fields(Math.floor(missing / 2), missing % 2);
    expect(sizeOf(chosen)).toBe(bytes);
    return chosen;
  }

  it('may have 4096 bytes', async () => {
    const fields = fieldsOf(4096);
    const { payload, payloadBytes } = await deliver(fields);
    expect(payload).toEqual(payloadOf(fields));
    expect(payloadBytes).toBe(4096);
  });

  it('may not have 4097 bytes', async () => {
    await expectInvalid({ ...fieldsOf(4097) });
  });
});

describe('tokens', () => {
  it('may be 100, each of which gets one push and one row, in order', async () => {
    const { identity, tokens } = await boundServer(setup, 100);
    const shuffled = [...tokens].sort((a, b) => a.slice(8).localeCompare(b.slice(8)));
    const rows = await send(setup, identity, { tokens: shuffled });
    expect(rows).toEqual(shuffled.map((token) => ({ token, ok: true })));
    for (const token of tokens) expect(setup.sandbox.count(token)).toBe(1);
  });

  async function expectInvalidTokens(identity: HostIdentity, tokens: unknown): Promise<void> {
    const signed = Array.isArray(tokens) ? (tokens as readonly string[]) : [];
    const request = sendRequest(
      identity,
      { tokens: signed, title: uniqueTitle() },
      { overrides: { tokens } },
    );
    expectRefused(await post(setup, request), 400, 'invalid_request');
  }

  it.each([
    ['none', []],
    ['101', Array.from({ length: 101 }, () => makeDeviceToken())],
    ['missing', undefined],
    ['null', null],
    ['one string', makeDeviceToken()],
    ['an object', { 0: makeDeviceToken(), length: 1 }],
    ['a list with null', [makeDeviceToken(), null]],
    ['a list with a number', [makeDeviceToken(), 1]],
    ['a list in a list', [[makeDeviceToken()]]],
  ])('may not be %s', async (_name, tokens) => {
    await expectInvalidTokens(makeIdentity(), tokens);
  });

  it('one of which is malformed spoil the send: nothing is sent', async () => {
    const { identity, token } = await boundServer(setup);
    await expectInvalidTokens(identity, [token, token.slice(1)]);
    expect(setup.sandbox.count(token)).toBe(0);
  });

  it('listed twice get one push and one row, where they stood first', async () => {
    const { identity, tokens } = await boundServer(setup, 3);
    const [a = '', b = '', c = ''] = tokens;
    const rows = await send(setup, identity, { tokens: [b, a, b, c, a, b] });
    expect(rows).toEqual([b, a, c].map((token) => ({ token, ok: true })));
    for (const token of tokens) expect(setup.sandbox.count(token)).toBe(1);
  });

  it('are signed with their duplicates: a text without them is another text', async () => {
    const { identity, token } = await boundServer(setup);
    const ts = Date.now();
    const fields = { tokens: [token, token], title: 'twice' };
    const request = sendRequest(identity, fields, { ts, signedText: `${ts}.${token}.twice` });
    expectRefused(await post(setup, request), 401, 'invalid_signature');
  });

  it('listed in two spellings get one push', async () => {
    const { identity, token } = await boundServer(setup);
    const rows = await send(setup, identity, { tokens: [token, token.toUpperCase()] });
    expect(rows[0]).toEqual({ token, ok: true });
    for (const row of rows) expect(row.ok).toBe(true);
    expect(setup.sandbox.count(token)).toBe(1);
  });

  it('that nobody has bound, and those of another server, get ok:false and no push', async () => {
    const { identity, token } = await boundServer(setup);
    const { token: foreign, identity: other } = await boundServer(setup);
    const unknown = makeDeviceToken();
    const rows = await send(setup, identity, { tokens: [unknown, token, foreign] });
    expect(rows).toEqual([
      { token: unknown, ok: false },
      { token, ok: true },
      { token: foreign, ok: false },
    ]);
    for (const env of [setup.sandbox, setup.production]) {
      expect([env.count(unknown), env.count(foreign)]).toEqual([0, 0]);
    }
    expect(await send(setup, other, { tokens: [foreign] })).toEqual([{ token: foreign, ok: true }]);
  });

  it('none of which is bound are answered with 200', async () => {
    const token = makeDeviceToken();
    const before = requestsTotal(setup);
    const answer = await post(setup, sendRequest(makeIdentity(), { tokens: [token], title: 'nobody' }));
    expect(rowsOf(answer)).toEqual([{ token, ok: false }]);
    expect(requestsTotal(setup)).toBe(before);
  });
});
