// The key schedule: ECDH on P-256, then HKDF-SHA-256, written out from RFC 5869 with HMAC alone.
import { createECDH, createHash, createHmac, ECDH } from 'node:crypto';

const INFO = 'openchamber-relay-v1';

export function makeKeyScheduleVectors() {
  const agreements = [
    makeAgreement('first', 'host', 'client', '000102030405060708090a0b0c0d0e0f'),
    makeAgreement('another nonce', 'host', 'client', 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff'),
    makeAgreement('another client', 'host', 'client 2', '000102030405060708090a0b0c0d0e0f'),
    makeAgreement('another host, a nonce of zeros', 'host 2', 'client', '00'.repeat(16)),
    findAgreement('the shared secret starts with a zero byte', ({ sharedSecret }) =>
      sharedSecret.startsWith('00'),
    ),
    findAgreement("the client's x starts with a zero byte", ({ client }) => client.x.startsWith('AA')),
  ];
  return { agreements, badPublicJwks: makeBadPublicJwks(agreements[0].host) };
}

function makeAgreement(name, hostSeed, clientSeed, nonce) {
  const host = makeKeyPair(hostSeed);
  const client = makeKeyPair(clientSeed);
  const sharedSecret = host.ecdh.computeSecret(client.ecdh.getPublicKey());
  const keys = hkdf(sharedSecret, Buffer.from(nonce, 'hex'), 64);
  return {
    name,
    host: host.jwk,
    client: client.jwk,
    nonce,
    sharedSecret: sharedSecret.toString('hex'),
    clientToHost: keys.subarray(0, 32).toString('hex'),
    hostToClient: keys.subarray(32).toString('hex'),
  };
}

/** The first agreement of a numbered series that has a property few have. */
function findAgreement(name, isWanted) {
  for (let number = 0; ; number++) {
    const agreement = makeAgreement(name, 'host', `client ${name} ${number}`, '11'.repeat(16));
    if (isWanted(agreement)) return agreement;
  }
}

function makeKeyPair(seed) {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(createHash('sha256').update(`openchambery ${seed}`).digest());
  const point = ecdh.getPublicKey();
  const d = ecdh.getPrivateKey();
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
    d: Buffer.concat([Buffer.alloc(32 - d.length), d]).toString('base64url'),
  };
  return { ecdh, jwk };
}

/** RFC 5869 sections 2.2 and 2.3. */
function hkdf(secret, salt, byteLength) {
  const pseudorandomKey = createHmac('sha256', salt).update(secret).digest();
  let block = Buffer.alloc(0);
  let output = Buffer.alloc(0);
  for (let number = 1; output.length < byteLength; number++) {
    block = createHmac('sha256', pseudorandomKey)
      .update(block)
      .update(INFO)
      .update(Buffer.of(number))
      .digest();
    output = Buffer.concat([output, block]);
  }
  return output.subarray(0, byteLength);
}

function makeBadPublicJwks({ x, y }) {
  const jwk = { kty: 'EC', crv: 'P-256', x, y };
  const zero = Buffer.alloc(32).toString('base64url');
  const full = Buffer.alloc(32, 255).toString('base64url');
  const point = beyondTheField();
  const bad = [
    ['no object', null],
    ['a list', [jwk]],
    ['a text', JSON.stringify(jwk)],
    ['without kty', { ...jwk, kty: undefined }],
    ['without y', { ...jwk, y: undefined }],
    ['another kind of key', { ...jwk, kty: 'OKP' }],
    ['another curve', { ...jwk, crv: 'P-384' }],
    ['a number for a coordinate', { ...jwk, x: 1 }],
    ['x of 31 bytes', { ...jwk, x: Buffer.alloc(31, 1).toString('base64url') }],
    ['x of 33 bytes', { ...jwk, x: Buffer.alloc(33, 1).toString('base64url') }],
    ['x with padding', { ...jwk, x: `${x}=` }],
    ['x with an unused bit set', { ...jwk, x: setUnusedBit(x) }],
    ['y with an unused bit set', { ...jwk, y: setUnusedBit(y) }],
    ['x in standard base64', { ...jwk, x: `+${x.slice(1)}` }],
    ['y off the curve', { ...jwk, y: flipLastBit(y) }],
    ['x and y swapped', { ...jwk, x: y, y: x }],
    ['the origin', { ...jwk, x: zero, y: zero }],
    ['coordinates beyond the field', { ...jwk, x: full, y: full }],
    ['a point of the curve, but for the field added to its x', { ...jwk, ...point }],
  ];
  return bad.map(([name, jwk]) => ({ name, jwk }));
}

/** x = 5 + p with the y that belongs to x = 5: fits the equation modulo p, and is no coordinate all the same. */
function beyondTheField() {
  const p = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
  const x = 5n;
  const compressed = Buffer.concat([Buffer.of(2), toBytes(x)]);
  const point = ECDH.convertKey(compressed, 'prime256v1', undefined, undefined, 'uncompressed');
  return { x: toBytes(x + p).toString('base64url'), y: point.subarray(33).toString('base64url') };
}

function toBytes(number) {
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
}

function flipLastBit(text) {
  const bytes = Buffer.from(text, 'base64url');
  bytes[bytes.length - 1] ^= 1;
  return bytes.toString('base64url');
}

/** The same bytes in a text that is not canonical. */
export function setUnusedBit(text) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return text.slice(0, -1) + alphabet[alphabet.indexOf(text.at(-1)) | 1];
}
