import fc from 'fast-check';
import type { RelayLimits } from '../../src/limits.ts';

/** What can happen, and how often relative to the rest. */
const WEIGHTS = {
  nothing: 1,
  hostConnects: 5,
  clientConnects: 12,
  dataAttaches: 16,
  dataAttachesWrongly: 3,
  badUpgrade: 2,
  idsCollide: 1,
  sends: 24,
  sendsMuch: 16,
  pings: 2,
  closes: 4,
  halfCloses: 2,
  resets: 3,
  breaksProtocol: 1.5,
  sendsTooMuch: 1,
  stalls: 10,
  controlStalls: 3,
  controlSips: 3,
  resumes: 6,
  sips: 8,
  fallsSilent: 3,
  speaksAgain: 2,
  timePasses: 10,
  timerFires: 8,
  longTimePasses: 2,
  serverCloses: 0.25,
} as const;
export type EventKind = keyof typeof WEIGHTS;

/** One event: a kind, and numbers that choose among what is there when it happens. */
export interface ScheduledEvent {
  readonly kind: EventKind;
  /** Chooses whom it happens to. */
  readonly who: number;
  /** Chooses how. */
  readonly how: number;
  /** Whether everything comes to rest before the next event. */
  readonly settles: boolean;
}

export interface Schedule {
  readonly limits: Partial<RelayLimits>;
  /** Pairs that are there before the first event. */
  readonly pairs: number;
  readonly events: readonly ScheduledEvent[];
  /** Chooses how those who are left go in the end. */
  readonly ending: number;
}

/** Kinds as often as they weigh; the first is `nothing`, to which events shrink. */
const KINDS: readonly EventKind[] = Object.entries(WEIGHTS).flatMap(([kind, weight]) =>
  Array.from({ length: weight * 4 }, () => kind as EventKind),
);

const events: fc.Arbitrary<ScheduledEvent[]> = fc.array(
  fc
    .tuple(fc.nat(KINDS.length - 1), fc.nat(9999), fc.nat(9999), fc.nat(4))
    .map(([kind, who, how, settles]) => ({
      kind: KINDS[kind] as EventKind,
      who,
      how,
      settles: settles < 3,
    })),
  { minLength: 30, maxLength: 80, size: 'max' },
);

/** Generous first: that is what limits shrink to. */
function oneOf(...values: number[]): fc.Arbitrary<number> {
  return fc.constantFrom(...values);
}

const limits: fc.Arbitrary<Partial<RelayLimits>> = fc
  .record({
    maxHosts: oneOf(10, 10, 3, 2, 1),
    maxSockets: oneOf(2048, 2048, 2048, 12, 5),
    maxConnections: oneOf(1000, 1000, 1000, 4, 2),
    maxClientsPerHost: oneOf(1000, 1000, 1000, 3, 1),
    maxClientsPerIp: oneOf(1000, 1000, 1000, 3, 1),
    maxPendingClients: oneOf(1000, 1000, 30, 6, 3, 2, 1),
    pendingMs: oneOf(300, 150, 80),
    graceMs: oneOf(400, 200, 90),
    heartbeatMs: oneOf(200, 120, 500),
    stallMs: oneOf(400, 150, 90),
    closeDeadlineMs: oneOf(100, 50, 30),
    maxFrameBytes: oneOf(100_000, 100_000, 2000, 300, 100),
    maxQueuedBytesPerConnection: oneOf(100_000, 4000, 1000, 300),
    maxGlobalQueuedBytes: oneOf(1_000_000, 1_000_000, 5000, 1000, 300),
    maxBufferedAmount: oneOf(100_000, 1000, 300, 60),
    maxControlQueueEntries: oneOf(256, 5, 2, 1),
    maxControlQueuedBytes: oneOf(100_000, 300, 100),
    maxAdmissionsPerIp: oneOf(1000, 1000, 1000, 12, 5),
    maxHostControlAdmissionsPerIp: oneOf(1000, 1000, 1000, 5, 2),
    maxHostControlAdmissionsPerServer: oneOf(1000, 1000, 1000, 3, 1),
    admissionWindowMs: oneOf(1000, 500, 200),
    idAttempts: oneOf(4, 2, 1),
  })
  .map((chosen) => ({
    ...chosen,
    maxPendingClients: Math.min(chosen.maxPendingClients, chosen.maxConnections),
    maxClientsPerHost: Math.min(chosen.maxClientsPerHost, chosen.maxConnections),
  }));

/** Schedules of 30 to 80 events under limits that are now and then tight. */
export const schedules: fc.Arbitrary<Schedule> = fc.noBias(
  fc.record({ limits, pairs: fc.nat(4), events, ending: fc.nat(9999) }),
);
