// Writes the golden vectors: what the contract says, worked out with node:crypto and plain text alone, so that they
// check src/ instead of repeating it. Everything in them is fixed: running this again writes the same bytes.
//
//   node packages/tunnel/scripts/make-vectors.mjs
import { mkdirSync, writeFileSync } from 'node:fs';
import { makeFrameVectors, makePlaintextVectors } from './frame-vectors.mjs';
import { makeHandshakeVectors } from './handshake-vectors.mjs';
import { makeKeyScheduleVectors } from './key-schedule-vectors.mjs';
import { makePairingVectors } from './pairing-vectors.mjs';
import { makePayloadVectors } from './payload-vectors.mjs';
import { makeSealedVectors } from './sealed-vectors.mjs';

const FOLDER = new URL('../vectors/', import.meta.url);

function write(name, value) {
  writeFileSync(new URL(`${name}.json`, FOLDER), `${JSON.stringify(value, null, 2)}\n`);
}

const keySchedule = makeKeyScheduleVectors();

mkdirSync(FOLDER, { recursive: true });
write('key-schedule', keySchedule);
write('handshake', makeHandshakeVectors(keySchedule));
write('frames', makeFrameVectors());
write('payloads', makePayloadVectors());
write('plaintexts', makePlaintextVectors());
write('sealed-frames', makeSealedVectors(keySchedule.agreements[0]));
write('pairing-links', makePairingVectors(keySchedule.agreements[0]));
