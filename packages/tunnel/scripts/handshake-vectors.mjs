// The texts of the handshake: exact ones, ones that mean the same, ones that are refused and ones that are ignored.
import { setUnusedBit } from './key-schedule-vectors.mjs';

export function makeHandshakeVectors({ agreements, badPublicJwks }) {
  const [{ client, nonce }] = agreements;
  const { kty, crv, x, y } = client;
  const clientPubJwk = { kty, crv, x, y };
  const text64 = Buffer.from(nonce, 'hex').toString('base64url');
  const jwkText = `{"kty":"EC","crv":"P-256","x":"${x}","y":"${y}"}`;
  const plain = `{"t":"hello","v":1,"clientPubJwk":${jwkText},"nonce":"${text64}"}`;
  const batch = `{"t":"hello","v":1,"clientPubJwk":${jwkText},"nonce":"${text64}","batch":true}`;
  const fields = { t: 'hello', v: 1, clientPubJwk, nonce: text64, batch: true };
  return {
    clientPubJwk,
    nonce,
    hello: [
      { name: 'without batching', offersBatching: false, text: plain },
      { name: 'with batching', offersBatching: true, text: batch },
    ],
    ready: [
      { name: 'without batching', isBatching: false, text: '{"t":"ready","v":1}' },
      { name: 'with batching', isBatching: true, text: '{"t":"ready","v":1,"batch":true}' },
    ],
    toleratedHello: [
      [
        'members in another order',
        true,
        { batch: true, nonce: text64, clientPubJwk: { y, x, crv, kty }, v: 1, t: 'hello' },
      ],
      ['unknown members', true, { ...fields, later: { more: [1] }, constructor: 1 }],
      [
        'members of a key that WebCrypto adds',
        true,
        { ...fields, clientPubJwk: { ...clientPubJwk, ext: true, key_ops: [] } },
      ],
      ['batch is false', false, { ...fields, batch: false }],
      ['batch is 1', false, { ...fields, batch: 1 }],
      ['batch is "true"', false, { ...fields, batch: 'true' }],
      ['batch is null', false, { ...fields, batch: null }],
    ].map(([name, offersBatching, value]) => ({ name, offersBatching, text: JSON.stringify(value) })),
    toleratedReady: [
      {
        name: 'spaces and unknown members',
        isBatching: true,
        text: ' {"v": 1, "batch": true, "x": {}, "t": "ready"}\n',
      },
      { name: 'batch is 1', isBatching: false, text: '{"t":"ready","v":1,"batch":1}' },
    ],
    malformedHello: [
      ['nothing but its name', { t: 'hello' }],
      ['without a version', { ...fields, v: undefined }],
      ['version 2', { ...fields, v: 2 }],
      ['version "1"', { ...fields, v: '1' }],
      ['without a key', { ...fields, clientPubJwk: undefined }],
      ['without a nonce', { ...fields, nonce: undefined }],
      ['a nonce that is a number', { ...fields, nonce: 1 }],
      ['an empty nonce', { ...fields, nonce: '' }],
      ['a nonce of 15 bytes', { ...fields, nonce: Buffer.alloc(15).toString('base64url') }],
      ['a nonce of 17 bytes', { ...fields, nonce: Buffer.alloc(17).toString('base64url') }],
      ['a nonce with padding', { ...fields, nonce: `${text64}==` }],
      ['a nonce with an unused bit set', { ...fields, nonce: setUnusedBit(text64) }],
      ['a nonce in standard base64', { ...fields, nonce: `+${text64.slice(1)}` }],
      ...badPublicJwks.map(({ name, jwk }) => [
        `a key that is none: ${name}`,
        { ...fields, clientPubJwk: jwk },
      ]),
    ].map(([name, value]) => ({ name, text: JSON.stringify(value) })),
    malformedReady: [
      { name: 'without a version', text: '{"t":"ready"}' },
      { name: 'version 2', text: '{"t":"ready","v":2}' },
    ],
    ignored: [
      '',
      ' ',
      'hello',
      'null',
      '1',
      '"hello"',
      '[]',
      '{}',
      `[${plain}]`,
      plain.slice(0, -1),
      `${plain}${plain}`,
      '{"t":"Hello","v":1}',
      '{"t":["hello"],"v":1}',
      '{"t":null}',
      '{"T":"hello"}',
      '{"t":"goodbye","v":1}',
      '{"t":"__proto__"}',
    ],
  };
}
