// Encrypted frames in both directions: 01, IV, ciphertext, tag.
import { createCipheriv } from 'node:crypto';

const IV_PREFIXES = { clientToHost: 'c0ffee01', hostToClient: '00000000' };

function counterBytes(counter) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(counter));
  return bytes;
}

function seal(key, ivPrefix, { counter, plaintext }) {
  const iv = Buffer.concat([Buffer.from(ivPrefix, 'hex'), counterBytes(counter)]);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'hex'), iv);
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(plaintext, 'hex')), cipher.final()]);
  return Buffer.concat([Buffer.of(1), iv, ciphertext, cipher.getAuthTag()]).toString('hex');
}

function makeDirection(name, key, plaintexts) {
  const ivPrefix = IV_PREFIXES[name];
  const frames = plaintexts.map((plaintext, index) => {
    const counter = index + 1;
    return { counter, plaintext, frame: seal(key, ivPrefix, { counter, plaintext }) };
  });
  // Counters that a channel reaches late: where the low half is full, and the last one that is exact as a number.
  const late = [2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER].map((counter) => {
    const [plaintext] = plaintexts;
    return { counter, plaintext, frame: seal(key, ivPrefix, { counter, plaintext }) };
  });
  return { direction: name, key, ivPrefix, frames, late };
}

/** Frames of one direction that end the channel, each after the frames that come before it. */
function makeRefused({ key, ivPrefix, frames: [first, second] }) {
  const flip = (frame, at) => {
    const bytes = Buffer.from(frame, 'hex');
    bytes[at < 0 ? bytes.length + at : at] ^= 1;
    return bytes.toString('hex');
  };
  const { plaintext } = first;
  const high = seal(key, ivPrefix, { counter: 2n ** 64n - 1n, plaintext });
  const next = seal(key, ivPrefix, { counter: 2n ** 63n, plaintext });
  return [
    ['empty', [], ''],
    ['28 bytes', [], first.frame.slice(0, 56)],
    ['version 0', [], flip(first.frame, 0)],
    ['version 2', [], `02${first.frame.slice(2)}`],
    ['counter 0', [], seal(key, ivPrefix, { counter: 0, plaintext })],
    ['the same frame again', [first.frame], first.frame],
    ['a counter below the last one', [second.frame], first.frame],
    ['a counter below the greatest one', [high], next],
    ['a bit of the random part flipped', [], flip(first.frame, 1)],
    ['a bit of the counter flipped', [first.frame], flip(second.frame, 12)],
    ['a bit of the ciphertext flipped', [], flip(first.frame, 13)],
    ['a bit of the tag flipped', [], flip(first.frame, -1)],
    ['a byte cut off', [], first.frame.slice(0, -2)],
    ['a byte more', [], `${first.frame}00`],
  ].map(([name, before, frame]) => ({ name, before, frame }));
}

export function makeSealedVectors(agreement) {
  const request =
    '000100000001' + Buffer.from('{"method":"GET","path":"/","query":"","headers":{}}').toString('hex');
  const answer = '000300000001' + Buffer.from('{"status":200,"headers":{}}').toString('hex');
  const end = '000400000001';
  const directions = [
    makeDirection('clientToHost', agreement.clientToHost, [request, end, '', 'ff'.repeat(100)]),
    makeDirection('hostToClient', agreement.hostToClient, [answer, end, '', '00'.repeat(100)]),
  ];
  return { directions, refused: makeRefused(directions[0]) };
}
