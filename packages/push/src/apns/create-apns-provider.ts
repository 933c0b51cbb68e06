import type { KeyObject } from 'node:crypto';
import { PushOptionError } from '../options/push-option-error.ts';
import type { PushOutcome } from '../provider/push-outcome.ts';
import type { Environment, Notification, ProviderSnapshot, PushProvider } from '../provider/push-provider.ts';
import { type ApnsOptions, completeApnsOptions } from './apns-options.ts';
import { Gateway } from './gateway.ts';
import { parseApnsKey } from './parse-apns-key.ts';

/**
 * Apple's push service as a provider. Nothing is opened before the first push.
 *
 * @throws PushOptionError for a key or a URL that cannot be used.
 */
export function createApnsProvider(options: ApnsOptions): PushProvider {
  const key = requireKey(options.key);
  const complete = completeApnsOptions(options);
  const open = (environment: Environment): Gateway => {
    const url = requireUrl(environment, options.urls[environment]);
    return new Gateway({ environment, url, key, options: complete });
  };
  return new ApnsProvider({ production: open('production'), sandbox: open('sandbox') });
}

class ApnsProvider implements PushProvider {
  readonly #gateways: Readonly<Record<Environment, Gateway>>;

  constructor(gateways: Readonly<Record<Environment, Gateway>>) {
    this.#gateways = gateways;
  }

  send(notification: Notification): Promise<PushOutcome> {
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
