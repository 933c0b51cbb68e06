import { ownText } from '@openchambery/daemon';
import type { ReplayMark } from '../binding/replay-mark.ts';
import type { HeapOrder } from './indexed-heap.ts';
import type { Lease } from './lease.ts';

/** A mark as it is written down. */
export interface StoredMark {
  /** Grows from mark to mark, across restarts too: the order of acceptance. */
  readonly seq: number;
  /** As {@link toMarkKey} makes it. */
  readonly key: string;
  readonly serverId: string;
  readonly route: string;
  readonly ts: number;
  readonly ip: string;
  /** ms since the epoch. */
  readonly expiresAtMs: number;
}

/**
 * A mark that is remembered. There may be very many, hence it is one flat object, with its places in the heaps that it
 * is in.
 */
export interface KeptMark extends StoredMark, Lease {
  agePlace: number;
  serverPlace: number;
  /** Among all IPs while it is the only mark of its IP, otherwise among the marks of its IP. */
  ipPlace: number;
  /** Among the servers of its IP while it is the only one of its server there, otherwise among those. */
  payerPlace: number;
  tsPlace: number;
}

/** What tells a text from every other: the server, and the hash of the text. */
export function toMarkKey({ serverId, textHash }: Pick<ReplayMark, 'serverId' | 'textHash'>): string {
  return `${serverId}:${textHash.toString('latin1')}`;
}

/** Makes a mark that is in no heap yet. */
export function toKeptMark(stored: StoredMark, { heldUntilMs }: Lease): KeptMark {
  const { seq, key, serverId, route, ts, ip, expiresAtMs } = stored;
  return {
    seq,
    key,
    serverId: ownText(serverId),
    route,
    ts,
    ip: ownText(ip),
    expiresAtMs,
    heldUntilMs,
    agePlace: -1,
    serverPlace: -1,
    ipPlace: -1,
    payerPlace: -1,
    tsPlace: -1,
  };
}

/** Whether `a` was accepted before `b`. */
export function isOlder(a: KeptMark, b: KeptMark): boolean {
  return a.seq < b.seq;
}

/** All marks, oldest first. */
export const BY_AGE: HeapOrder<KeptMark> = {
  isBefore: isOlder,
  placeOf: (mark) => mark.agePlace,
  setPlace: (mark, place) => (mark.agePlace = place),
};

/** The marks of a server, oldest first. */
export const OF_SERVER_BY_AGE: HeapOrder<KeptMark> = {
  isBefore: isOlder,
  placeOf: (mark) => mark.serverPlace,
  setPlace: (mark, place) => (mark.serverPlace = place),
};

/** The marks from an IP, oldest first. */
export const OF_IP_BY_AGE: HeapOrder<KeptMark> = {
  isBefore: isOlder,
  placeOf: (mark) => mark.ipPlace,
  setPlace: (mark, place) => (mark.ipPlace = place),
};

/** The marks of a server from one IP, oldest first. */
export const OF_PAYER_BY_AGE: HeapOrder<KeptMark> = {
  isBefore: isOlder,
  placeOf: (mark) => mark.payerPlace,
  setPlace: (mark, place) => (mark.payerPlace = place),
};

/** The marks of a server from one IP, lowest `ts` first. */
export const OF_PAYER_BY_TS: HeapOrder<KeptMark> = {
  isBefore: (a, b) => (a.ts === b.ts ? a.seq < b.seq : a.ts < b.ts),
  placeOf: (mark) => mark.tsPlace,
  setPlace: (mark, place) => (mark.tsPlace = place),
};
