import { PUSH_PREFIX } from '@openchambery/testkit';
import type { PushRequest, StartRelayOptions } from '@openchambery/testkit';
import type { PushSurroundings } from '../../e2e/support/push-setup.ts';
import { secureRequest } from './secure-request.ts';
import type { SecureAnswer, SecureRequest } from './secure-request.ts';

/** Posts a signed request of the push API through a proxy. */
export function postSigned(
  port: number,
  { path, body }: PushRequest,
  options: Omit<SecureRequest, 'path'> = {},
): Promise<SecureAnswer> {
  return postBody(port, path, JSON.stringify(body), options);
}

/** Posts `body` as it is. */
export function postBody(
  port: number,
  path: string,
  body: string,
  options: Omit<SecureRequest, 'path'> = {},
): Promise<SecureAnswer> {
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  return secureRequest(port, {
    method: 'POST',
    path,
    body,
    ...options,
    headers: { ...headers, ...options.headers },
  });
}

/** Options for a relay that has push mounted on it. */
export function combinedOptions({ startOptions }: PushSurroundings): StartRelayOptions {
  const limits = Object.entries(startOptions.limits ?? {});
  return {
    env: {
      ...startOptions.env,
      ...Object.fromEntries(limits.map(([name, value]) => [PUSH_PREFIX + name, String(value)])),
    },
  };
}
