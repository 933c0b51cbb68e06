import type { Admission, RequestToAdmit } from '@openchambery/host';
import type { SecretVerdict } from './secret-check.ts';
import type { PairingsNow } from './pairing-view.ts';

/** What a guard needs, and whom it tells. */
export interface PairingGuardOptions {
  /** The pairings at this moment. */
  look(): PairingsNow;
  /** Ends a Client's connection. */
  disconnect(connectionId: string, reason: string): void;
  /** A pairing was used. Called for each request. */
  onUse(pairingId: string): void;
}

/** Wrong secrets on one connection before it is ended: a device has one, and does not guess. */
export const MAX_WRONG_SECRETS = 20;

/** Far more than a Host serves at a time. */
const MAX_CONNECTIONS = 1024;

const ALLOWED: Admission = { isAllowed: true };

const REFUSED = {
  required: refusal('pairing_required', 'Pair this device: a request needs the secret of a pairing link.'),
  unknown: refusal('pairing_required', 'The secret is not that of a pairing: take a new pairing link.'),
  revoked: refusal('pairing_revoked', 'This pairing was revoked: take a new pairing link.'),
  unreadable: refusal('pairing_unreadable', 'The Host cannot read its pairings at the moment.'),
};

interface ConnectionRecord {
  /** The pairings whose secrets it has used: one, but for strange Clients. */
  readonly pairingIds: Set<string>;
  wrongCount: number;
}

/** Lets in requests that bring the secret of a pairing, and ends the connections of pairings that are revoked. */
export class PairingGuard {
  readonly #options: PairingGuardOptions;
  readonly #connections = new Map<string, ConnectionRecord>();

  constructor(options: PairingGuardOptions) {
    this.#options = options;
  }

  /** A policy's last word on a request. */
  admit({ connectionId, secret }: RequestToAdmit): Admission {
    const now = this.#options.look();
    if (now.state === 'unreadable') return REFUSED.unreadable;
    if (secret === undefined) return REFUSED.required;
    return this.#judge(connectionId, now.check(secret));
  }

  #judge(connectionId: string, verdict: SecretVerdict): Admission {
    switch (verdict.kind) {
      case 'live':
        this.#record(connectionId).pairingIds.add(verdict.id);
        this.#options.onUse(verdict.id);
        return ALLOWED;
      case 'revoked':
        return REFUSED.revoked;
      case 'unknown':
        this.#countWrong(connectionId);
        return REFUSED.unknown;
    }
  }

  #countWrong(connectionId: string): void {
    const record = this.#record(connectionId);
    record.wrongCount += 1;
    if (record.wrongCount === MAX_WRONG_SECRETS) {
      this.#options.disconnect(connectionId, 'too many wrong pairing secrets');
    }
  }

  /** A connection has ended, however. */
  forget(connectionId: string): void {
    this.#connections.delete(connectionId);
  }

  /** Ends the connections of pairings that are in force no more. Call it now and then: nobody tells of revocations. */
  enforce(): void {
    if (this.#connections.size === 0) return;
    const now = this.#options.look();
    // While the file cannot be read, new requests are refused; what runs was let in rightly.
    if (now.state === 'unreadable') return;
    const live = new Set(now.pairings.live.map(({ id }) => id));
    for (const [connectionId, { pairingIds }] of this.#connections) {
      if ([...pairingIds].every((id) => live.has(id))) continue;
      this.#connections.delete(connectionId);
      this.#options.disconnect(connectionId, 'the pairing was revoked');
    }
  }

  #record(connectionId: string): ConnectionRecord {
    const known = this.#connections.get(connectionId);
    if (known !== undefined) return known;
    const [oldest] = this.#connections.keys();
    if (oldest !== undefined && this.#connections.size >= MAX_CONNECTIONS) this.#connections.delete(oldest);
    const record: ConnectionRecord = { pairingIds: new Set(), wrongCount: 0 };
    this.#connections.set(connectionId, record);
    return record;
  }
}

function refusal(error: string, message: string): Admission {
  return { isAllowed: false, status: 401, error, message };
}
