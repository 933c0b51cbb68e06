import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A service account as the Firebase console hands it out, and the half of its key that a fake verifies with. */
export interface FakeServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly keyId: string;
  /** What the account's assertions have to be for. */
  readonly tokenUri: string;
  /** The content of the JSON file. */
  readonly json: string;
  readonly publicKey: KeyObject;
}

/** A new service account with a key of 2048 bits. */
export function makeServiceAccount(): FakeServiceAccount {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const projectId = `fake-${randomBytes(4).toString('hex')}`;
  const clientEmail = `push@${projectId}.iam.gserviceaccount.com`;
  const keyId = randomBytes(20).toString('hex');
  const tokenUri = 'https://oauth2.googleapis.com/token';
  const json = JSON.stringify({
    type: 'service_account',
    project_id: projectId,
    private_key_id: keyId,
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    client_email: clientEmail,
    token_uri: tokenUri,
  });
  return { projectId, clientEmail, keyId, tokenUri, json, publicKey };
}
