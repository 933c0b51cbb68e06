import type { VerifiedRequest } from '../auth/authenticate.ts';
import type { PushRequest } from './push-request.ts';

/** What the server hands to the app with each request. */
export interface PushBindings {
  Bindings: { readonly push: PushRequest };
}

/** What {@link limitByIp} adds. */
export interface WithIp extends PushBindings {
  Variables: { ip: string };
}

/** What {@link readSigned} adds. */
export interface WithVerified<Content> extends PushBindings {
  Variables: { ip: string; verified: VerifiedRequest<Content> };
}
