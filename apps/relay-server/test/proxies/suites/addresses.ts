import { clientQuery, makeDeviceToken, makeIdentity, registerRequest } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { refusal } from '../../e2e/support/sockets.ts';
import type { Front } from '../support/front.ts';
import { postSigned } from '../support/push-behind.ts';

/** What a sender writes to look like somebody else. */
const FORGERIES = ['198.51.100.1', '198.51.100.2', '198.51.100.3, 198.51.100.4', 'unknown', ''];

/** Who a request is counted for. The relay takes two Clients a minute of an address, the push relay two registrations. */
export function describeAddresses(front: Front): void {
  describe('limits by address', () => {
    it.each(FORGERIES)('see the real Client, whatever it forges (%s)', async (forged) => {
      const localAddress = freshAddress();
      expect(await knock(front, localAddress)).toBe(4008);
      expect(await knock(front, localAddress, forged)).toBe(4008);
      expect(await knock(front, localAddress, '203.0.113.7')).toBe(4029);
      expect(await knock(front, freshAddress(), forged)).toBe(4008);
    });

    it('see the real Host of a registration, whatever it forges', async () => {
      const localAddress = freshAddress();
      expect(await register(front, localAddress, '198.51.100.1')).toBe(200);
      expect(await register(front, localAddress, ['198.51.100.2', '198.51.100.3'])).toBe(200);
      expect(await register(front, localAddress, '198.51.100.4')).toBe(429);
      expect(await register(front, freshAddress(), '198.51.100.1')).toBe(200);
    });
  });
}

let addresses = 0;

function freshAddress(): string {
  addresses += 1;
  return `127.0.1.${addresses}`;
}

/** The code that ends a Client's attempt to reach a Host that is not there. */
async function knock({ relay }: Front, localAddress: string, forged?: string): Promise<number> {
  const query = clientQuery(makeIdentity().serverId);
  const headers =
    forged === undefined
      ? {}
      : { 'X-Forwarded-For': forged, 'X-Real-IP': forged, Forwarded: `for=${forged}` };
  return (await refusal(relay, query, { localAddress, headers })).code;
}

async function register({ proxy }: Front, localAddress: string, forged: string | string[]): Promise<number> {
  const request = registerRequest(makeIdentity(), makeDeviceToken());
  const headers = { 'X-Forwarded-For': forged };
  return (await postSigned(proxy.port, request, { localAddress, headers })).status;
}
