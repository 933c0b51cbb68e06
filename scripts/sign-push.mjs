// Signs a request to the push API as a Host does (docs/protocol/push.md) and prints its body, to try the API by hand:
//   node scripts/sign-push.mjs send '{"tokens":["…"],"title":"Hello"}' | curl --json @- http://127.0.0.1:8788/v1/push/send
// The Host's key is kept in host-key.json in the current folder, and made when there is none.
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const KEY_FILE = 'host-key.json';

/** What is signed, by route; absent parts are empty. */
const SIGNED_PARTS = {
  'register-token': ({ token, platform }) => [token, platform],
  'register-live-activity-token': ({ token, platform, kind }) => [token, platform, kind],
  'unregister-live-activity-token': ({ token, platform, kind }) => [token, platform, kind],
  send: ({ tokens, title }) => [joinTokens(tokens), title],
  'live-activity': ({ tokens, event, contentState: state, dismissalDate, staleDate }) => [
    joinTokens(tokens),
    event,
    state.status,
    state.eventVersion,
    state.updatedAt,
    state.endedAt,
    dismissalDate,
    staleDate,
    ...laterParts(state),
  ],
};

const [route, json] = process.argv.slice(2);
const partsOf = SIGNED_PARTS[route];
if (partsOf === undefined || json === undefined) {
  process.stderr.write(
    `Usage: node scripts/sign-push.mjs <route> <members as JSON>\nRoutes: ${Object.keys(SIGNED_PARTS).join(', ')}\n`,
  );
  process.exit(1);
}
const members = JSON.parse(json);
const key = openKey();
const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
const ts = Date.now();
const text = [ts, ...partsOf(members)].map((part) => part ?? '').join('.');
// IEEE P1363 is r and s side by side, 64 bytes.
const sig = sign('sha256', text, { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
process.stdout.write(`${JSON.stringify({ publicKeyJwk: { crv, kty, x, y }, ts, sig, ...members })}\n`);

/** Sorted by code unit: capitals come first. */
function joinTokens(tokens) {
  return [...tokens].sort((a, b) => (a < b ? -1 : Number(a > b))).join(',');
}

/** These three came later: nothing stands for them where none is there. */
function laterParts({ title, workingCount, items }) {
  if (title === undefined && workingCount === undefined && items === undefined) return [];
  const signedItems = (items ?? []).map(
    ({ sessionID, sessionId, title: name, status, startedAt, endedAt }) => ({
      sessionID: sessionID ?? sessionId,
      title: (name ?? '').slice(0, 80),
      status,
      startedAt,
      endedAt,
    }),
  );
  return [title, workingCount, JSON.stringify(signedItems)];
}

function openKey() {
  if (existsSync(KEY_FILE)) {
    return createPrivateKey({ key: JSON.parse(readFileSync(KEY_FILE, 'utf8')), format: 'jwk' });
  }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(KEY_FILE, `${JSON.stringify(privateKey.export({ format: 'jwk' }))}\n`, { mode: 0o600 });
  return privateKey;
}
