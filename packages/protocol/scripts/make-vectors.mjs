// Writes the golden vectors: what the contract says, worked out with node:crypto and plain text alone, so that they
// check src/ instead of repeating it. Signatures are random by nature: run this only when the contract changes.
//
//   node packages/protocol/scripts/make-vectors.mjs
import { createECDH, createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { makeUpgradeVectors } from './upgrade-vectors.mjs';

const FOLDER = new URL('../vectors/', import.meta.url);
const TS = '1700000000000';
const CONNECTION_ID = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex').toString('base64url');

function makeIdentity(name, seed) {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(createHash('sha256').update(seed).digest());
  const point = ecdh.getPublicKey();
  const d = ecdh.getPrivateKey();
  const jwk = {
    crv: 'P-256',
    kty: 'EC',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
    d: Buffer.concat([Buffer.alloc(32 - d.length), d]).toString('base64url'),
  };
  const text = `{"crv":"P-256","kty":"EC","x":"${jwk.x}","y":"${jwk.y}"}`;
  return {
    name,
    privateJwk: jwk,
    publicKeyText: text,
    pk: Buffer.from(text).toString('base64url'),
    serverId: createHash('sha256').update(text).digest('base64url'),
  };
}

/** The first identity of a numbered series that has a property few have. */
function findIdentity(name, isWanted) {
  for (let number = 0; ; number++) {
    const identity = makeIdentity(name, `openchambery ${name} ${number}`);
    if (isWanted(identity)) return identity;
  }
}

function startsWithZero(coordinate) {
  return Buffer.from(coordinate, 'base64url')[0] === 0;
}

function encode(text) {
  return Buffer.from(text).toString('base64url');
}

function flipLastBit(text) {
  const bytes = Buffer.from(text, 'base64url');
  bytes[bytes.length - 1] ^= 1;
  return bytes.toString('base64url');
}

/** The same bytes in a text that is not canonical. */
function setUnusedBit(text) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return text.slice(0, -1) + alphabet[alphabet.indexOf(text.at(-1)) | 1];
}

function makeBadPublicKeys({ publicKeyText, privateJwk: { x, y }, pk }) {
  const key = (x, y) => encode(`{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`);
  const zero = Buffer.alloc(32).toString('base64url');
  const full = Buffer.alloc(32, 255).toString('base64url');
  const form = [
    ['empty', ''],
    ['not base64url', pk.replace(/^./, '*')],
    ['standard base64 padding', `${pk}=`],
    ['cut by one character', pk.slice(0, -1)],
    ['not JSON', encode('x'.repeat(publicKeyText.length))],
    ['byte order mark', encode(`\uFEFF${publicKeyText}`)],
    ['trailing newline', encode(`${publicKeyText}\n`)],
    ['space after a colon', encode(publicKeyText.replace(':', ': '))],
    ['members in another order', encode(`{"kty":"EC","crv":"P-256","x":"${x}","y":"${y}"}`)],
    ['x and y swapped in order', encode(`{"crv":"P-256","kty":"EC","y":"${y}","x":"${x}"}`)],
    ['one member more', encode(publicKeyText.replace('}', ',"ext":true}'))],
    ['private half included', encode(publicKeyText.replace('}', `,"d":"${x}"}`))],
    ['escape in a member name', encode(publicKeyText.replace('"x"', '"\\u0078"'))],
    ['another curve', encode(publicKeyText.replace('P-256', 'P-384'))],
    ['x of 31 bytes', key(Buffer.alloc(31, 1).toString('base64url'), y)],
    ['x with padding', key(`${x}=`, y)],
    ['x with an unused bit set', key(setUnusedBit(x), y)],
    ['y with an unused bit set', key(x, setUnusedBit(y))],
    ['x in standard base64', key(`+${x.slice(1)}`, y)],
  ];
  const curve = [
    ['y off the curve', key(x, flipLastBit(y))],
    ['origin', key(zero, zero)],
    ['coordinates beyond the field', key(full, full)],
  ];
  return [
    ...form.map(([name, pk]) => ({ name, pk, fault: 'form' })),
    ...curve.map(([name, pk]) => ({ name, pk, fault: 'curve' })),
  ];
}

function signText(identity, text) {
  const key = createPrivateKey({ key: identity.privateJwk, format: 'jwk' });
  return sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
}

function makeSignatures(identity, other) {
  const { serverId } = identity;
  const control = { ts: TS, serverId, role: 'host-control', text: `${TS}.${serverId}.host-control.` };
  const data = {
    ts: TS,
    serverId,
    role: 'host-data',
    connectionId: CONNECTION_ID,
    text: `${TS}.${serverId}.host-data.${CONNECTION_ID}`,
  };
  const vector = (name, fields, signature, verifies = false) => {
    return { name, ...fields, pk: identity.pk, sig: signature.toString('base64url'), verifies };
  };
  const der = sign(
    'sha256',
    Buffer.from(control.text),
    createPrivateKey({ key: identity.privateJwk, format: 'jwk' }),
  );
  const good = signText(identity, control.text);
  const flipped = Buffer.from(good);
  flipped[63] ^= 1;
  return [
    vector('host-control', control, good, true),
    vector('host-data', data, signText(identity, data.text), true),
    vector('host-control signature on host-data', data, good),
    vector('signed by another Host', control, signText(other, control.text)),
    vector(
      'signed for another moment',
      control,
      signText(identity, control.text.replace(TS, '1700000000001')),
    ),
    vector('one bit flipped', control, flipped),
    vector('all zero', control, Buffer.alloc(64)),
    vector('all ones', control, Buffer.alloc(64, 255)),
    vector('DER instead of r‖s', control, der),
    vector('one byte short', control, good.subarray(0, 63)),
    vector('empty', control, Buffer.alloc(0)),
    { ...vector('an unused bit set', control, good), sig: setUnusedBit(good.toString('base64url')) },
  ];
}

function id(byte) {
  return Buffer.alloc(16, byte).toString('base64url');
}

function makeControlMessages() {
  const good = [
    [{ type: 'sync', connectionIds: [] }, '{"type":"sync","connectionIds":[]}'],
    [{ type: 'sync', connectionIds: [id(1)] }, `{"type":"sync","connectionIds":["${id(1)}"]}`],
    [
      { type: 'sync', connectionIds: [id(1), id(255)] },
      `{"type":"sync","connectionIds":["${id(1)}","${id(255)}"]}`,
    ],
    [
      { type: 'connected', connectionId: CONNECTION_ID },
      `{"type":"connected","connectionId":"${CONNECTION_ID}"}`,
    ],
    [{ type: 'disconnected', connectionId: id(0) }, `{"type":"disconnected","connectionId":"${id(0)}"}`],
  ].map(([message, text]) => ({ message, text }));
  const tolerated = [
    {
      message: { type: 'connected', connectionId: id(7) },
      text: `{ "later": {"more": true}, "connectionId": "${id(7)}", "type": "connected" }`,
    },
  ];
  const ignored = [
    '',
    'null',
    '[]',
    '"sync"',
    '1',
    '{',
    '{}',
    '{"type":"later","connectionId":"x"}',
    '{"type":1}',
    '{"type":"sync"}',
    '{"type":"sync","connectionIds":{}}',
    '{"type":"sync","connectionIds":[1]}',
    `{"type":"sync","connectionIds":["x"]}`,
    '{"type":"connected"}',
    '{"type":"connected","connectionId":null}',
    '{"type":"connected","connectionId":""}',
    `{"type":"connected","connectionId":"${id(1)}="}`,
    `{"type":"disconnected","connectionId":["${id(1)}"]}`,
    `{"type":"Connected","connectionId":"${id(1)}"}`,
    `{"type":"__proto__","connectionId":"${id(1)}"}`,
  ];
  return { good, tolerated, ignored };
}

function write(name, value) {
  writeFileSync(new URL(`${name}.json`, FOLDER), `${JSON.stringify(value, null, 2)}\n`);
}

const first = makeIdentity('first', 'openchambery first');
const second = makeIdentity('second', 'openchambery second');
const identities = [
  first,
  second,
  findIdentity('x starts with a zero byte', ({ privateJwk }) => startsWithZero(privateJwk.x)),
  findIdentity('y starts with a zero byte', ({ privateJwk }) => startsWithZero(privateJwk.y)),
];
for (const { privateJwk, publicKeyText } of identities) {
  const { d: _secret, ...jwk } = privateJwk;
  if (JSON.stringify(jwk) !== publicKeyText)
    throw new Error('the canonical text is not what JSON.stringify writes');
  createPublicKey({ key: jwk, format: 'jwk' });
}
const signatures = makeSignatures(first, second);

mkdirSync(FOLDER, { recursive: true });
write('identities', { identities, badPublicKeys: makeBadPublicKeys(first) });
write('signatures', signatures);
write('upgrades', makeUpgradeVectors({ control: signatures[0], data: signatures[1] }));
write('control-messages', makeControlMessages());
