/**
 * Every limit of the push relay, declared once: the type, the environment names, the checks and `--help` derive from
 * it. Names follow the contract (`timestampSkewMs` is `TIMESTAMP_SKEW_MS`).
 *
 * Where the upper bounds come from: as in the relay's own table, timers hold at most 2^31 - 1 ms and Maps at most
 * 2^24 entries. A window keeps the time of every request in it, hence the bound on requests per minute.
 */
export const PUSH_LIMITS = {
  timestampSkewMs: {
    default: 300_000,
    unit: 'ms',
    min: 1,
    max: 2_147_483_647,
    meaning: 'how far the clock of a server may be off, either way',
  },
  replayMs: {
    default: 600_000,
    unit: 'ms',
    min: 1,
    max: 2_147_483_647,
    meaning: 'how long a signed request is remembered; at least twice timestampSkewMs',
  },
  maxReplayEntries: {
    default: 10_000,
    unit: 'count',
    min: 1,
    // Each takes up to 1.3 KB of memory: docs/decisions/0010.
    max: 1_000_000,
    meaning: 'signed requests remembered, 1.3 KB each; when full, whoever holds most is refused',
  },
  registerLimitPerMinute: {
    default: 60,
    unit: 'count',
    min: 1,
    max: 1_000_000,
    meaning: 'requests to the register routes per client IP and minute',
  },
  sendLimitPerMinute: {
    default: 60,
    unit: 'count',
    min: 1,
    max: 1_000_000,
    meaning: 'requests to the send routes per client IP and minute',
  },
  serverSendLimitPerMinute: {
    default: 120,
    unit: 'count',
    min: 1,
    max: 1_000_000,
    meaning: 'requests to the send routes per server and minute',
  },
  maxTokens: {
    default: 100_000,
    unit: 'count',
    min: 1,
    max: 1_000_000_000,
    meaning: 'device tokens bound; a known token can always be registered again',
  },
  maxInFlight: {
    default: 64,
    unit: 'count',
    min: 1,
    max: 10_000,
    meaning: 'deliveries under way at once, half of them for each platform with FCM; as many again may wait',
  },
} as const;
