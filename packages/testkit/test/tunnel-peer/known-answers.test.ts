import { expect, test } from 'vitest';
import { deriveChannelKeys, tunnelKeyPairFromJwk } from '../../src/tunnel-peer/key-schedule.ts';
import { batchPlaintext, encodePeerFrame, singlePlaintext } from '../../src/tunnel-peer/peer-frame.ts';
import { openMessage, sealMessage } from '../../src/tunnel-peer/sealed-message.ts';

// Computed with another library (pyca/cryptography) from the text of the contract.
const CLIENT = {
  kty: 'EC',
  crv: 'P-256',
  x: 'UVw9brnjlrkE0_7Kf1T9zQzB6Ze_N13KUVrQpsO0A18',
  y: 'RTa-OlDzGPv5pUdZAqIhUCvvDVfgjFOyzApW8X2fk1Q',
  d: 'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA',
};
const HOST = {
  kty: 'EC',
  crv: 'P-256',
  x: '3z2TqqYaG4j2gx0F7-Zpl4lMBtPrLVXxgJ-LHBJR8lQ',
  y: 'b_gvmjOpABPLeFrDkFK9PUqD0X6z9EgXNUBETAZpxd8',
  d: '8ODQwLCgkIBwYFBAMCAQAPHh0cGxoZGBcWFRQTEhEQE',
};
const NONCE = Buffer.from('a0a1a2a3a4a5a6a7a8a9aaabacadaeaf', 'hex');
const CLIENT_TO_HOST = '5e610a036a3bd06b3f3e57ee2cb8a6d71a11e5f7db578b7693d0fb4f4aff7491';
const HOST_TO_CLIENT = 'b1bca3ed8282afcfc9d44b31a13439d56349f7b1d17a5b717c1bac85f4f96d35';
const IV_PREFIX = Buffer.from('cafe0102', 'hex');

test('both ends come to the known keys', () => {
  const [client, host] = [tunnelKeyPairFromJwk(CLIENT), tunnelKeyPairFromJwk(HOST)];
  const keys = deriveChannelKeys(client.privateKey, host.publicJwk, NONCE);
  expect(keys.clientToHost.toString('hex')).toBe(CLIENT_TO_HOST);
  expect(keys.hostToClient.toString('hex')).toBe(HOST_TO_CLIENT);
  expect(deriveChannelKeys(host.privateKey, client.publicJwk, NONCE)).toEqual(keys);
});

const REQUEST = { method: 'GET', path: '/', query: '', headers: {} };

test.each([
  {
    name: 'a bare frame',
    key: CLIENT_TO_HOST,
    counter: 1n,
    plaintext: singlePlaintext(encodePeerFrame({ type: 11, id: 0 }), false),
    sealed: '01cafe0102000000000000000161253c5cb14067e1e5bd05df2eeb58a8c9c086d8a7',
  },
  {
    name: 'one frame where both batch',
    key: CLIENT_TO_HOST,
    counter: 2n,
    plaintext: singlePlaintext(encodePeerFrame({ type: 1, id: 1, payload: REQUEST }), true),
    sealed:
      '01cafe0102000000000000000278cadaf54935d66de35c84a75819a21ea219d58a8306997e6a5ec4697a368acf53c2a8a65fcba02e' +
      '693658d60aeec2494d64040c5fbdfcf6a1f3522cd7b58159dc80f1d21d5b437f75',
  },
  {
    name: 'a batch',
    key: HOST_TO_CLIENT,
    counter: 3n,
    plaintext: batchPlaintext([
      encodePeerFrame({ type: 2, id: 3, payload: 'abc' }),
      encodePeerFrame({ type: 4, id: 3 }),
    ]),
    sealed:
      '01cafe01020000000000000003e5a7e847d3338b66c9357106c134e6347c86a2a6ad5b9d2662d31d2a7e382fdfac73549ff594',
  },
  {
    name: 'a fragment, under a large counter',
    key: HOST_TO_CLIENT,
    counter: 0x0102030405060708n,
    plaintext: singlePlaintext(encodePeerFrame({ type: 8, id: 5, payload: 'hé', hasMore: true }), true),
    sealed: '01cafe010201020304050607083a7c7fa867ebeb3786bace50fec44c792422347ce06951be83',
  },
])('$name is sealed to the known bytes and opened again', ({ key, counter, plaintext, sealed }) => {
  const bytes = sealMessage({ key: Buffer.from(key, 'hex'), ivPrefix: IV_PREFIX, counter, plaintext });
  expect(bytes.toString('hex')).toBe(sealed);
  expect(openMessage(Buffer.from(key, 'hex'), bytes)).toEqual({ ivPrefix: IV_PREFIX, counter, plaintext });
});
