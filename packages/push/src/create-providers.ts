import { createApnsProvider } from './apns/create-apns-provider.ts';
import type { Platform } from './binding/binding.ts';
import type { Providers } from './deliver/delivery-job.ts';
import { DeliveryGate } from './deliver/delivery-gate.ts';
import { createFcmProvider, type FcmProvider } from './fcm/create-fcm-provider.ts';
import { parseServiceAccount } from './fcm/service-account.ts';
import type { ResolvedPushOptions } from './options/push-options.ts';

/** Makes the providers that the options name; `hash` is the short name of a token in log lines. */
export function createProviders(options: ResolvedPushOptions, hash: (token: string) => string): Providers {
  const { apnsKeyId, apnsTeamId, apnsBundleId, apnsP8, apnsProductionUrl, apnsSandboxUrl } = options;
  const { clock, logger } = options;
  const ios = createApnsProvider({
    keyId: apnsKeyId,
    teamId: apnsTeamId,
    bundleId: apnsBundleId,
    key: apnsP8,
    urls: { production: apnsProductionUrl, sandbox: apnsSandboxUrl },
    clock,
    logger,
    hash,
  });
  return { ios, android: createAndroid(options, hash) };
}

function createAndroid(
  { fcmServiceAccountJson, fcmUrl, fcmTokenUrl, clock, logger }: ResolvedPushOptions,
  hash: (token: string) => string,
): FcmProvider | undefined {
  if (fcmServiceAccountJson === undefined) return undefined;
  const parsed = parseServiceAccount(fcmServiceAccountJson);
  if (parsed.kind === 'bad-account') throw new Error('the service account was checked before');
  return createFcmProvider({
    account: parsed.account,
    url: fcmUrl,
    tokenUrl: fcmTokenUrl,
    clock,
    logger,
    hash,
  });
}

/** The platforms that are served. */
export function platformsOf({ android }: Providers): readonly Platform[] {
  return android === undefined ? ['ios'] : ['ios', 'android'];
}

/**
 * Shares out the places for deliveries. Where there are two services each has half of them, so that one that hangs
 * leaves the other its own; as many deliveries as without the other find a place or wait.
 */
export function createGates(
  maxInFlight: number,
  providers: Providers,
): Readonly<Record<Platform, DeliveryGate>> {
  const share = Math.ceil(maxInFlight / platformsOf(providers).length);
  const open = (): DeliveryGate => new DeliveryGate(share, 2 * maxInFlight - share);
  return { ios: open(), android: open() };
}
