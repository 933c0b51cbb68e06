import { urlHost } from '../cli/startup-report.ts';
import type { Announcement } from '../cli/startup-report.ts';
import type { RelayConfig } from './resolve-config.ts';

/** What of its configuration the relay tells when it listens. */
export type RelayAddress = Pick<RelayConfig, 'publicUrl' | 'host' | 'port' | 'path'>;

/** Where the relay can be reached. */
export function relayUrl({ publicUrl, host, port, path }: RelayAddress): string {
  return publicUrl ?? `ws://${urlHost(host)}:${port}${path}`;
}

/** Says that the relay listens, and in combined mode that push is there too. */
export function announceRelay(address: RelayAddress, push: 'mounted' | 'absent'): Announcement {
  const { host, port, path } = address;
  const url = relayUrl(address);
  const line = `Relay listening at ${url}`;
  const fields = { url, host, port, path };
  return push === 'absent'
    ? { lines: [line], fields }
    : { lines: [line, 'Push relay mounted at /v1/push/*'], fields: { ...fields, push: true } };
}
