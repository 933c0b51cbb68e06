// The Host of the demo: registers with the relay under a fresh key and echoes what each client sends.
//   node host.mjs <relay url>
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { WebSocket } from 'ws';
import { failOn, MAX_WAITING_BYTES } from './peer.mjs';

const relayUrl = process.argv[2];
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { x, y } = publicKey.export({ format: 'jwk' });
// Layer 1, section 4: this key order and no spaces, because serverId is the hash of this very text.
const jwk = `{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`;
const serverId = createHash('sha256').update(jwk).digest('base64url');

const control = connect('host-control', '');
failOn(control, 'host-control');
control.on('message', (data) => {
  const message = JSON.parse(data);
  if (message.type === 'sync') {
    process.send({ serverId });
  } else if (message.type === 'connected') {
    echo(connect('host-data', message.connectionId));
  }
});
process.on('disconnect', () => process.exit(0));

function connect(role, connectionId) {
  const ts = String(Date.now());
  const text = `${ts}.${serverId}.${role}.${connectionId}`;
  const sig = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString(
    'base64url',
  );
  const pk = Buffer.from(jwk).toString('base64url');
  const query = new URLSearchParams({
    v: '1',
    role,
    serverId,
    ...(connectionId && { connectionId }),
    ts,
    sig,
    pk,
  });
  return new WebSocket(`${relayUrl}?${query}`, { perMessageDeflate: false });
}

/** Sends everything back, and stops reading while too much of it waits. */
function echo(data) {
  data.on('error', (error) => process.stderr.write(`host-data: ${error.message}\n`));
  data.on('message', (message, isBinary) => {
    data.send(message, { binary: isBinary }, () => {
      if (data.bufferedAmount < MAX_WAITING_BYTES) {
        data.resume();
      }
    });
    if (data.bufferedAmount >= MAX_WAITING_BYTES) {
      data.pause();
    }
  });
}
