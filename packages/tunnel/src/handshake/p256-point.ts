/** The field of P-256, and `b` of y² = x³ − 3x + b (SEC 2 section 2.4.2). */
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

/**
 * Whether two coordinates of 32 bytes are a point of P-256. Anything else would give away bits of the private key it is
 * put together with (SEC 1 section 3.2.2). The cofactor is 1, so that no more needs a check.
 */
export function isOnP256(xBytes: Uint8Array, yBytes: Uint8Array): boolean {
  const x = toBigInt(xBytes);
  const y = toBigInt(yBytes);
  if (x >= P || y >= P) return false;
  return (y * y - (x * x * x - 3n * x + B)) % P === 0n;
}

function toBigInt(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}
