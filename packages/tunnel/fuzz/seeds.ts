import frames from '../vectors/frames.json' with { type: 'json' };
import handshake from '../vectors/handshake.json' with { type: 'json' };
import keySchedule from '../vectors/key-schedule.json' with { type: 'json' };
import pairingLinks from '../vectors/pairing-links.json' with { type: 'json' };
import payloads from '../vectors/payloads.json' with { type: 'json' };
import plaintexts from '../vectors/plaintexts.json' with { type: 'json' };

const encoder = new TextEncoder();

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'hex'));
}

function encode(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Frames of every type. */
export const frameSeeds: readonly Uint8Array[] = frames.frames.map(({ bytes }) => fromHex(bytes));

/** The fragments of each message in a batch, as a sender would put them together. */
const fragmentBatches = frames.messages.map(({ frames }) =>
  fromHex(`01${frames.map((bytes) => `${lengthOf(bytes)}${bytes}`).join('')}`),
);

function lengthOf(hex: string): string {
  return (hex.length / 2).toString(16).padStart(8, '0');
}

/** Plaintexts with batching, fragments among them. */
export const plaintextSeeds: readonly Uint8Array[] = [
  ...plaintexts.good.filter(({ isBatching }) => isBatching).map(({ plaintext }) => fromHex(plaintext)),
  ...fragmentBatches,
];

/** Texts of the handshake. */
export const handshakeSeeds: readonly Uint8Array[] = [
  ...handshake.hello,
  ...handshake.ready,
  ...handshake.toleratedHello,
  ...handshake.toleratedReady,
].map(({ text }) => encode(text));

/** Public keys. */
export const jwkSeeds: readonly Uint8Array[] = keySchedule.agreements.map(({ client }) =>
  encode(JSON.stringify(client)),
);

/** Pairing links. */
export const linkSeeds: readonly Uint8Array[] = [...pairingLinks.formatted, ...pairingLinks.tolerated].map(
  ({ link }) => encode(link),
);

/** JSON payloads of one kind, and those of all others behind them, so that parts of them mix. */
export function payloadSeeds(kind: string): readonly Uint8Array[] {
  const all = [...payloads.exact, ...payloads.tolerated];
  return all.filter((payload) => payload.kind === kind).map(({ text }) => encode(text));
}
