import type { Notification, PushKind } from '../provider/push-provider.ts';

/** How long Apple may keep a push for a phone that is off, in s. See {@link RequestHeaders}. */
const KEEP_S: Readonly<Record<PushKind, number>> = { alert: 24 * 3600, liveactivity: 12 * 3600 };
const HOUR_S = 3600;

/** What the headers of one service have in common. */
export interface RequestHeadersOptions {
  /** The service; its path goes in front of `/3/device/…`. */
  readonly url: URL;
  readonly bundleId: string;
  /** Wall-clock time in ms since the epoch. */
  readonly epochMs: () => number;
}

/**
 * Makes the header block of a push, as the flat array of names and values that node:http2 passes on as it is.
 *
 * `apns-expiration`: 0 would lose what is sent to a phone without signal; without the header Apple keeps a push for up to
 * 30 days. That an agent waits or has finished is worth hearing the next morning, not the week after: alerts are kept for
 * a day. The system ends a Live Activity after 8 hours and takes it off the lock screen after 12: nothing lasts longer
 * there. Rounded up to the hour, so that the value stays in HPACK's table (RFC 7541).
 */
export class RequestHeaders {
  readonly #scheme: string;
  readonly #authority: string;
  readonly #pathPrefix: string;
  readonly #topics: Readonly<Record<PushKind, string>>;
  readonly #epochMs: () => number;
  /** Until when the two values hold, s since the epoch, and the values. */
  #hourEnd = 0;
  #expirations: Readonly<Record<PushKind, string>> = { alert: '0', liveactivity: '0' };

  constructor(options: RequestHeadersOptions) {
    const { url, bundleId } = options;
    this.#scheme = url.protocol.slice(0, -1);
    this.#authority = url.host;
    this.#pathPrefix = `${url.pathname.replace(/\/+$/, '')}/3/device/`;
    // Apple, "Starting and updating Live Activities with ActivityKit push notifications".
    this.#topics = { alert: bundleId, liveactivity: `${bundleId}.push-type.liveactivity` };
    this.#epochMs = options.epochMs;
  }

  /** @param bearer value of `authorization`. */
  build(notification: Notification, bearer: string): string[] {
    const { kind, collapseId } = notification;
    const headers = [
      ':method',
      'POST',
      ':scheme',
      this.#scheme,
      ':authority',
      this.#authority,
      ':path',
      this.#pathPrefix + notification.token,
      'authorization',
      bearer,
      'apns-topic',
      this.#topics[kind],
      'apns-push-type',
      kind,
      'apns-priority',
      '10',
      'apns-expiration',
      this.#expiration(kind),
      'apns-id',
      notification.id,
    ];
    if (collapseId !== undefined) headers.push('apns-collapse-id', collapseId);
    return headers;
  }

  #expiration(kind: PushKind): string {
    const now = this.#epochMs() / 1000;
    if (now >= this.#hourEnd || now < this.#hourEnd - HOUR_S) {
      this.#hourEnd = (Math.floor(now / HOUR_S) + 1) * HOUR_S;
      this.#expirations = {
        alert: String(this.#hourEnd + KEEP_S.alert),
        liveactivity: String(this.#hourEnd + KEEP_S.liveactivity),
      };
    }
    return this.#expirations[kind];
  }
}
