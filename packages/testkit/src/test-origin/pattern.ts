import { createCipheriv, createHash } from 'node:crypto';

/** A prime, so that no frame or buffer size divides the period: a lost or doubled piece shows in the hash. */
const PERIOD = 1_048_573;

/** The keystream of AES-128-CTR under a key of zeros, twice in a row, so that any piece up to a period is one view. */
const stream: Buffer = (() => {
  const once = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(PERIOD));
  return Buffer.concat([once, once]);
})();

/** Most bytes that {@link patternPiece} gives at once. */
const MAX_PIECE_BYTES = PERIOD;

/** Bytes `offset` to `offset + length` of an endless sequence that is always the same; a view, not to be changed. */
export function patternPiece(offset: number, length: number): Buffer {
  if (length > MAX_PIECE_BYTES) throw new RangeError(`a piece has at most ${MAX_PIECE_BYTES} bytes`);
  const start = offset % PERIOD;
  return stream.subarray(start, start + length);
}

/** The first `bytes` of the sequence, piece by piece. */
export function* patternPieces(bytes: number, pieceBytes = 65_536): Generator<Buffer> {
  for (let offset = 0; offset < bytes; offset += pieceBytes) {
    yield patternPiece(offset, Math.min(pieceBytes, bytes - offset));
  }
}

/** SHA-256 of the first `bytes` of the sequence, in hex. */
export function patternSha256(bytes: number): string {
  const hash = createHash('sha256');
  for (const piece of patternPieces(bytes)) hash.update(piece);
  return hash.digest('hex');
}
