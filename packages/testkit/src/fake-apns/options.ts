import type { LoopbackCertificate } from './certificates.ts';
import type { ProviderKey } from './provider-token.ts';
import type { RecordedRequest } from './request-log.ts';

/** How any fake push service is set up. */
export interface FakeServiceOptions {
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** @default a free one */
  readonly port?: number;
  /** Streams per connection before its first accepted push. @default 1, as Apple does it */
  readonly firstStreams?: number;
  /** Streams per connection after that. @default 1000 */
  readonly maxConcurrentStreams?: number;
  /** UNIX ms, for the age of credentials and the times of records. @default Date.now */
  readonly now?: () => number;
  /** How many requests are kept; 0 records nothing. @default 100000 */
  readonly recordLimit?: number;
  /** Told of every request once it is clear what became of it; not of those that are not recorded. */
  readonly onSettled?: (request: RecordedRequest) => void;
  /** @default a new one */
  readonly certificate?: LoopbackCertificate;
}

/** How a fake APNs is set up. */
export interface FakeApnsOptions extends FakeServiceOptions {
  /** With keys every request is checked as Apple checks it; without, every request is accepted as it is. */
  readonly keys?: readonly ProviderKey[];
  /** Bundle ids whose topics are known. @default every topic */
  readonly topics?: readonly string[];
  /** Whether two provider tokens of one key within 20 minutes are refused. @default false */
  readonly strictTokenUpdates?: boolean;
}
