import type { ActivityChange, PushAlert, PushPlatform } from './push-requests.ts';
import type { PushOutcome, PushReport } from './push-outcome.ts';

/** Sends pushes to the phones that registered with this Host. Failures of the network and of the relay are values. */
export interface PushClient {
  /** Where sends go; the other routes sit beside it. */
  readonly url: string;
  readonly isDisabled: boolean;
  /** Binds a device's token to this Host, and remembers it. @param platform @default 'ios' */
  registerToken(token: string, platform?: PushPlatform): Promise<PushOutcome>;
  /** The same for a Live Activity's token. */
  registerLiveActivityToken(token: string, platform?: PushPlatform): Promise<PushOutcome>;
  /** Ends the binding of a Live Activity's token, and forgets it. */
  unregisterLiveActivityToken(token: string, platform?: PushPlatform): Promise<PushOutcome>;
  /** Sends an alert. Tokens that another push relay knew are registered first. */
  send(alert: PushAlert): Promise<PushReport>;
  /** Changes a Live Activity. Tokens that another push relay knew are registered first. */
  liveActivity(change: ActivityChange): Promise<PushReport>;
}
