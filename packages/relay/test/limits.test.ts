import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLimitName, RELAY_LIMIT_NAMES, RELAY_LIMITS, resolveLimits } from '../src/limits.ts';
import type { RelayLimitName, RelayLimits } from '../src/limits.ts';
import { toVariableName, type LimitDefinition } from '@openchambery/daemon';
import { RelayOptionError } from '../src/relay-option-error.ts';

/** Layer 1, section 8, copied by hand: the table in the code must not drift from the contract. */
const CONTRACT: Readonly<Record<string, number>> = {
  MAX_URL_BYTES: 4096,
  MAX_FIELD_BYTES: 512,
  MAX_HOSTS: 256,
  MAX_SOCKETS: 2048,
  MAX_CONNECTIONS: 1000,
  MAX_CLIENTS_PER_HOST: 100,
  MAX_CLIENTS_PER_IP: 30,
  MAX_PENDING_CLIENTS: 30,
  PENDING_MS: 15_000,
  MAX_RAW_SOCKETS: 4096,
  MAX_RAW_SOCKETS_PER_IP: 128,
  GRACE_MS: 30_000,
  STALL_MS: 60_000,
  TIMESTAMP_SKEW_MS: 60_000,
  REPLAY_MS: 120_000,
  MAX_REPLAY_ENTRIES: 10_000,
  MAX_FRAME_BYTES: 131_072,
  MAX_QUEUED_BYTES_PER_CONNECTION: 2_097_152,
  MAX_GLOBAL_QUEUED_BYTES: 33_554_432,
  MAX_BUFFERED_AMOUNT: 2_097_152,
  MAX_CONTROL_QUEUE_ENTRIES: 256,
  MAX_CONTROL_QUEUED_BYTES: 2_097_152,
  PUMP_RETRY_MS: 25,
  HEARTBEAT_MS: 30_000,
  HANDSHAKE_MS: 10_000,
  CLOSE_DEADLINE_MS: 5000,
  ADMISSION_WINDOW_MS: 60_000,
  MAX_ADMISSIONS_PER_IP: 120,
  MAX_HOST_CONTROL_ADMISSIONS_PER_IP: 30,
  MAX_HOST_CONTROL_ADMISSIONS_PER_SERVER: 12,
  MAX_ADMISSION_ENTRIES: 10_000,
  ID_ATTEMPTS: 4,
};

const LONGEST_TIMER_MS = 2_147_483_647;

function faultOf(given: Partial<RelayLimits>): RelayOptionError {
  try {
    resolveLimits(given);
  } catch (error) {
    if (error instanceof RelayOptionError) {
      return error;
    }
    throw error;
  }
  throw new Error(`accepted ${JSON.stringify(given)}`);
}

/** `name` at `value`, with the limits it is compared with moved out of its way. */
function alone(name: RelayLimitName, value: number): Partial<RelayLimits> {
  switch (name) {
    case 'maxPendingClients':
    case 'maxClientsPerHost':
      return { maxConnections: RELAY_LIMITS.maxConnections.max, [name]: value };
    case 'maxConnections':
      return { maxPendingClients: 1, maxClientsPerHost: 1, [name]: value };
    case 'replayMs':
      return { timestampSkewMs: value === LONGEST_TIMER_MS ? 1_073_741_823 : 1, [name]: value };
    case 'timestampSkewMs':
      return { replayMs: LONGEST_TIMER_MS, [name]: value };
    default:
      return { [name]: value };
  }
}

describe('the table of limits', () => {
  it('holds exactly the limits of the contract, with its defaults', () => {
    const table = Object.fromEntries(
      RELAY_LIMIT_NAMES.map((name) => [toVariableName(name), RELAY_LIMITS[name].default]),
    );
    expect(table).toEqual(CONTRACT);
  });

  it.each(RELAY_LIMIT_NAMES)('describes %s with sound bounds', (name) => {
    const definition: LimitDefinition = RELAY_LIMITS[name];
    expect(definition.min).toBeGreaterThanOrEqual(1);
    expect(definition.default).toBeGreaterThanOrEqual(definition.min);
    expect(definition.default).toBeLessThanOrEqual(definition.max);
    expect(Number.isSafeInteger(definition.max)).toBe(true);
    expect(definition.meaning).toMatch(/^[\x20-\x7e]{10,110}$/);
    expect(name.endsWith('Ms')).toBe(definition.unit === 'ms');
    if (definition.unit === 'ms') {
      expect(definition.max).toBeLessThanOrEqual(LONGEST_TIMER_MS);
    }
  });

  it('knows its own names and no others', () => {
    expect(RELAY_LIMIT_NAMES.every(isLimitName)).toBe(true);
    expect(['toString', '__proto__', 'maxurlbytes', ''].some(isLimitName)).toBe(false);
  });
});

describe('resolveLimits', () => {
  it('fills in every default', () => {
    const limits = resolveLimits();
    expect(Object.keys(limits)).toEqual([...RELAY_LIMIT_NAMES]);
    expect(RELAY_LIMIT_NAMES.every((name) => limits[name] === RELAY_LIMITS[name].default)).toBe(true);
  });

  it('lets an undefined value stand for the default', () => {
    const given: Record<string, number | undefined> = { maxHosts: undefined };
    expect(resolveLimits(given as Partial<RelayLimits>).maxHosts).toBe(256);
  });

  it.each(RELAY_LIMIT_NAMES)('accepts %s at each bound and not one beyond', (name) => {
    const { min, max } = RELAY_LIMITS[name];
    // The smallest replay window that can exist is twice the smallest skew.
    const least = name === 'replayMs' ? 2 : min;
    // The largest skew that can exist is half of the largest replay window.
    const most = name === 'timestampSkewMs' ? Math.floor(max / 2) : max;
    expect(resolveLimits(alone(name, least))[name]).toBe(least);
    expect(resolveLimits(alone(name, most))[name]).toBe(most);
    for (const value of [min - 1, max + 1, min + 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(faultOf(alone(name, value))).toMatchObject({
        code: 'ERR_RELAY_OPTION',
        option: name,
        expected: `an integer from ${min} to ${max}`,
        got: String(value),
      });
    }
  });

  it('refuses a limit that does not exist', () => {
    const given: Record<string, number> = { maxHost: 3 };
    expect(faultOf(given as Partial<RelayLimits>)).toMatchObject({ option: 'limits', got: '"maxHost"' });
  });

  it('wants replays remembered for twice the clock skew', () => {
    expect(resolveLimits({ timestampSkewMs: 500, replayMs: 1000 }).replayMs).toBe(1000);
    expect(faultOf({ timestampSkewMs: 500, replayMs: 999 })).toMatchObject({
      option: 'replayMs',
      related: 'timestampSkewMs',
      expected: 'at least 2 x timestampSkewMs (1000)',
    });
    expect(faultOf({ timestampSkewMs: 60_001 }).option).toBe('replayMs');
  });

  it.each(['maxPendingClients', 'maxClientsPerHost'] as const)('keeps %s within maxConnections', (name) => {
    const others = { maxPendingClients: 1, maxClientsPerHost: 1, maxConnections: 200 };
    expect(resolveLimits({ ...others, [name]: 200 })[name]).toBe(200);
    expect(faultOf({ ...others, [name]: 201 })).toMatchObject({
      option: name,
      related: 'maxConnections',
      expected: 'at most maxConnections (200)',
    });
  });

  it('returns what it was given, or says why not', () => {
    const anyLimits = fc.dictionary(
      fc.constantFrom(...RELAY_LIMIT_NAMES),
      fc.oneof(fc.integer({ min: -2, max: 200_000 }), fc.double(), fc.maxSafeInteger()),
    );
    fc.assert(
      fc.property(anyLimits, (given: Partial<RelayLimits>) => {
        try {
          expect(resolveLimits(given)).toMatchObject(given);
        } catch (error) {
          if (!(error instanceof RelayOptionError)) {
            throw error;
          }
          expect(isLimitName(error.option)).toBe(true);
        }
      }),
    );
  });
});

describe('toVariableName', () => {
  it('can be undone for every limit', () => {
    for (const name of RELAY_LIMIT_NAMES) {
      const back = toVariableName(name)
        .toLowerCase()
        .replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
      expect(back).toBe(name);
    }
  });
});
