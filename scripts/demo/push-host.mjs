// A Host as the push API sees it (docs/protocol/push.md), on Node's own crypto and fetch.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';

/** A Host with a new identity that talks to the push relay at `url`. */
export function createPushHost(url) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { crv, kty, x, y } = publicKey.export({ format: 'jwk' });
  const publicKeyJwk = { crv, kty, x, y };
  const serverId = createHash('sha256').update(JSON.stringify(publicKeyJwk)).digest('base64url');

  const post = async (path, body, textOf) => {
    const ts = Date.now();
    // IEEE P1363 is r and s side by side, 64 bytes.
    const sig = sign('sha256', textOf(ts), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ publicKeyJwk, ts, sig: sig.toString('base64url'), ...body }),
    });
    return { status: response.status, text: await response.text() };
  };

  return {
    serverId,
    registerToken: (token) =>
      post('/v1/push/register-token', { token, platform: 'ios' }, (ts) => `${ts}.${token}.ios`),
    send: (alert) =>
      post(
        '/v1/push/send',
        alert,
        (ts) => `${ts}.${[...alert.tokens].sort(byCodeUnit).join(',')}.${alert.title}`,
      ),
  };
}

function byCodeUnit(a, b) {
  return a < b ? -1 : Number(a > b);
}
