import { createCipheriv, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createNodeAeadKey } from '../../src/node/index.ts';

const KEY = randomBytes(32);
const IV = randomBytes(12);

test('seals as the contract has it: version, IV, ciphertext, tag', () => {
  const cipher = createCipheriv('aes-256-gcm', KEY, IV);
  const ciphertext = Buffer.concat([cipher.update('some plaintext'), cipher.final()]);
  const sealed = createNodeAeadKey(KEY).seal(IV, Buffer.from('some plaintext'));
  expect(Buffer.from(sealed as Uint8Array)).toEqual(
    Buffer.concat([Buffer.from([1]), IV, ciphertext, cipher.getAuthTag()]),
  );
});

test('opens what WebCrypto sealed, and WebCrypto opens what it sealed', async () => {
  const plaintext = randomBytes(65_536);
  const key = await crypto.subtle.importKey('raw', KEY, 'AES-GCM', false, ['encrypt', 'decrypt']);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: IV }, key, plaintext);
  const own = createNodeAeadKey(KEY);
  expect(own.open(Buffer.concat([Buffer.from([1]), IV, Buffer.from(sealed)]))).toEqual(plaintext);

  const frame = own.seal(IV, Uint8Array.from(plaintext)) as Uint8Array<ArrayBuffer>;
  const opened = await crypto.subtle.decrypt({ name: 'AES-GCM', iv: IV }, key, frame.subarray(13));
  expect(Buffer.from(opened)).toEqual(plaintext);
});

test.each([0, 1, 255])('opens a plaintext of %i bytes', (length) => {
  const key = createNodeAeadKey(KEY);
  const plaintext = randomBytes(length);
  expect(key.open(key.seal(IV, plaintext) as Uint8Array)).toEqual(plaintext);
});

test.each([
  ['IV', 1],
  ['ciphertext', 13],
  ['tag', 20],
])('does not open a frame with one bit of its %s turned', (_part, at) => {
  const key = createNodeAeadKey(KEY);
  const frame = key.seal(IV, Buffer.from('1234567')) as Uint8Array;
  frame[at] = (frame[at] ?? 0) ^ 1;
  expect(key.open(frame)).toBeUndefined();
});

test('does not open under another key, nor a frame of nothing but noise', () => {
  const frame = createNodeAeadKey(randomBytes(32)).seal(IV, Buffer.from('x')) as Uint8Array;
  expect(createNodeAeadKey(KEY).open(frame)).toBeUndefined();
  expect(createNodeAeadKey(KEY).open(randomBytes(29))).toBeUndefined();
});

test.each([16, 31, 33])('refuses a key of %i bytes', (length) => {
  expect(() => createNodeAeadKey(randomBytes(length))).toThrow(RangeError);
});

test('keeps its own copy of the key', () => {
  const mine = Buffer.from(KEY);
  const key = createNodeAeadKey(mine);
  mine.fill(0);
  expect(createNodeAeadKey(KEY).open(key.seal(IV, Buffer.from('x')) as Uint8Array)).toEqual(Buffer.from('x'));
});

test('gives back the memory of large bytes that are its own, and of no others', () => {
  const key = createNodeAeadKey(KEY);
  const whole = Uint8Array.from(randomBytes(65_536));
  const part = new Uint8Array(65_536).subarray(1);
  const frame = key.seal(IV, whole) as Uint8Array;
  void key.seal(IV, part);
  expect([whole.buffer.byteLength, part.length]).toEqual([0, 65_535]);
  void key.open(frame);
  expect(frame.buffer.byteLength).toBe(0);
});
