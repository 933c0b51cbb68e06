import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeLoopbackCertificate } from '../fake-apns/certificates.ts';
import { FakeService, type FakeServiceParts } from '../fake-apns/fake-service.ts';
import type { FakeServiceOptions } from '../fake-apns/options.ts';
import { ReactionScript } from '../fake-apns/reaction-script.ts';
import { DEFAULT_RECORD_LIMIT, RequestLog } from '../fake-apns/request-log.ts';
import { AccessTokens } from './access-tokens.ts';
import { MessageDesk } from './message-desk.ts';
import type { FakeServiceAccount } from './service-account.ts';
import { TokenEndpoint } from './token-endpoint.ts';

/** How a fake FCM is set up. */
export interface FakeFcmOptions extends FakeServiceOptions {
  /** The one account it knows, and its project. */
  readonly account: FakeServiceAccount;
  /** How long access tokens are good for, in s. @default 3600 */
  readonly tokenLifeS?: number;
}

/** FCM's HTTP v1 API and Google's token endpoint: checks what they check, and does what a test tells it. */
export class FakeFcm extends FakeService {
  /** Where access tokens come from. */
  readonly tokenEndpoint: TokenEndpoint;
  readonly #tokens: AccessTokens;

  /** @internal `startFakeFcm` makes it. */
  constructor(parts: FakeServiceParts, tokens: AccessTokens) {
    super(parts);
    this.#tokens = tokens;
    this.tokenEndpoint = new TokenEndpoint(tokens, parts.certificate, parts.options.host ?? '127.0.0.1');
  }

  /** Access tokens given so far. */
  get tokensGiven(): number {
    return this.#tokens.givenTotal;
  }

  /** No access token that was given is good any more. */
  revokeTokens(): void {
    this.#tokens.revoke();
  }

  /** @internal */
  override async listen(): Promise<void> {
    await Promise.all([super.listen(), this.tokenEndpoint.listen()]);
  }

  override async close(): Promise<void> {
    this.tokenEndpoint.close();
    await super.close();
  }
}

/** Starts a fake FCM on free ports of loopback. */
export async function startFakeFcm(options: FakeFcmOptions): Promise<FakeFcm> {
  const { account, now = Date.now, tokenLifeS = 3600 } = options;
  const certificate = options.certificate ?? (await makeLoopbackCertificate());
  const folder = await mkdtemp(join(tmpdir(), 'fake-fcm-'));
  const log = new RequestLog(options.recordLimit ?? DEFAULT_RECORD_LIMIT);
  const script = new ReactionScript();
  const tokens = new AccessTokens(account, now, tokenLifeS);
  const { projectId } = account;
  const desk = new MessageDesk({ log, script, tokens, projectId, now });
  const parts = { options: { firstStreams: 1000, ...options }, certificate, folder, log, script, desk };
  const fcm = new FakeFcm(parts, tokens);
  try {
    await writeFile(fcm.caFile, fcm.caPem);
    await fcm.listen();
  } catch (error) {
    await fcm.close();
    throw error;
  }
  return fcm;
}
