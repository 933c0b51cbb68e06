import type { IncomingMessage } from 'node:http';
import type { Clock } from '@openchambery/wire';
import { clientIp } from '../address/client-ip.ts';
import type { ConnectionDropped } from '../http/connection-dropped.ts';
import type { PlainRequestLimits } from '../http/listener-limits.ts';
import { AdmissionTable } from './admission-table.ts';

/** Plain requests for each upgrade that an IP may make: health checks of a proxy, once a second, are far from it. */
const PLAIN_REQUESTS_PER_ADMISSION = 10;

/** What a budget is made of. */
export interface PlainRequestBudgetOptions {
  readonly context: { readonly limits: PlainRequestLimits; readonly clock: Clock };
  readonly trustProxy: 'trust' | 'ignore';
  readonly onDrop: (drop: ConnectionDropped) => void;
}

/** Bounds the plain requests of each IP. Its table is its own, so that they push no window of upgrades out. */
export class PlainRequestBudget {
  readonly #options: PlainRequestBudgetOptions;
  readonly #table: AdmissionTable<'plain-request'>;

  constructor(options: PlainRequestBudgetOptions) {
    this.#options = options;
    const { limits, clock } = options.context;
    this.#table = new AdmissionTable({
      clock,
      windowMs: limits.admissionWindowMs,
      maxEntries: limits.maxAdmissionEntries,
    });
  }

  /** Counts a request and says whether to answer it; reports it when not. */
  admits(request: IncomingMessage): boolean {
    const { context, trustProxy, onDrop } = this.#options;
    const ip = clientIp({
      peerAddress: request.socket.remoteAddress,
      forwardedFor: request.headers['x-forwarded-for'],
      trustProxy,
    });
    const max = PLAIN_REQUESTS_PER_ADMISSION * context.limits.maxAdmissionsPerIp;
    if (this.#table.admit({ kind: 'plain-request', key: ip, max })) return true;
    const seconds = Math.ceil(context.limits.admissionWindowMs / 1000);
    const name = `${PLAIN_REQUESTS_PER_ADMISSION} x MAX_ADMISSIONS_PER_IP`;
    onDrop({
      ip,
      cause: 'plain-rate',
      detail: `limit: ${name} (${max} plain requests in ${seconds} s) reached`,
    });
    return false;
  }
}
