import type { HostIdentity } from '@openchambery/protocol';
import type { Clock } from '@openchambery/tunnel';
import { dial, type Dial, type DialListener } from './dial.ts';
import { UrlSigner, type Upgrade } from './signed-url.ts';

/** Which upgrade, and the most bytes in one message that may come through it. */
export interface DoorRequest {
  readonly upgrade: Upgrade;
  readonly maxPayload: number;
}

/** Opens a WebSocket to the relay for a role of this Host; the listener hears of it asynchronously. */
export type OpenDoor = (request: DoorRequest, listener: DialListener) => Dial;

/** Whose relay, and where it is. */
export interface DoorOptions {
  readonly relayUrl: string;
  readonly identity: HostIdentity;
  readonly clock: Clock;
}

/** The way of one Host to its relay: signs, then dials. */
export function createRelayDoor({ relayUrl, identity, clock }: DoorOptions): OpenDoor {
  const signer = new UrlSigner(relayUrl, identity, clock);
  return ({ upgrade, maxPayload }, listener) => {
    let current: Dial | undefined;
    let isAborted = false;
    const signThenDial = async (): Promise<void> => {
      const url = await signer.sign(upgrade).catch(() => undefined);
      if (isAborted) return;
      if (url === undefined) listener.onFail('the signing key of this Host cannot sign');
      else current = dial({ url, maxPayload, clock }, listener);
    };
    void signThenDial();
    return {
      abort: () => {
        isAborted = true;
        current?.abort();
      },
    };
  };
}
