import type { KeyObject } from 'node:crypto';
import { Gateway } from '../gateway/gateway.ts';
import { completeGatewayOptions } from '../gateway/gateway-options.ts';
import { PushOptionError } from '../options/push-option-error.ts';
import type { PushOutcome } from '../provider/push-outcome.ts';
import type {
  ApnsNotification,
  Environment,
  ProviderSnapshot,
  PushProvider,
} from '../provider/push-provider.ts';
import { createApnsDialect } from './apns-dialect.ts';
import type { ApnsOptions } from './apns-options.ts';
import { parseApnsKey } from './parse-apns-key.ts';
import { ProviderToken } from './provider-token.ts';

/** Apple's push service as a provider. */
export type ApnsProvider = PushProvider<ApnsNotification, Environment>;

/**
 * Makes the provider. Nothing is opened before the first push.
 *
 * @throws PushOptionError for a key or a URL that cannot be used.
 */
export function createApnsProvider(options: ApnsOptions): ApnsProvider {
  const { bundleId, keyId, teamId, urls, clock, logger } = options;
  const key = requireKey(options.key);
  const complete = completeGatewayOptions(options);
  const { random } = complete;
  const open = (environment: Environment): Gateway => {
    const url = requireUrl(environment, urls[environment]);
    return new Gateway({
      url,
      options: complete,
      dialect: createApnsDialect({ environment, url, bundleId, epochMs: () => clock.epochMs() }),
      createCredential: ({ onReady }) =>
        new ProviderToken({ key, keyId, teamId, clock, logger, random, onReady }),
    });
  };
  return new TwoGateways({ production: open('production'), sandbox: open('sandbox') });
}

class TwoGateways implements ApnsProvider {
  readonly #gateways: Readonly<Record<Environment, Gateway>>;

  constructor(gateways: Readonly<Record<Environment, Gateway>>) {
    this.#gateways = gateways;
  }

  send(notification: ApnsNotification): Promise<PushOutcome> {
    return this.#gateways[notification.environment].send(notification);
  }

  snapshot(): Readonly<Record<Environment, ProviderSnapshot>> {
    const { production, sandbox } = this.#gateways;
    return { production: production.snapshot(), sandbox: sandbox.snapshot() };
  }

  async close(): Promise<void> {
    await Promise.all([this.#gateways.production.close(), this.#gateways.sandbox.close()]);
  }
}

function requireKey(pem: string): KeyObject {
  const result = parseApnsKey(pem);
  if (result.kind === 'key') return result.key;
  throw new PushOptionError({
    option: 'key',
    expected: 'an EC P-256 private key in PKCS#8 (PEM)',
    got: `one that cannot be used (${result.problem})`,
  });
}

function requireUrl(environment: Environment, text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw new PushOptionError({
    option: `urls.${environment}`,
    expected: 'an http or https URL',
    got: url === null ? 'something else' : `one with ${url.protocol}`,
  });
}
