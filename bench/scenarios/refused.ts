import { setTimeout as sleep } from 'node:timers/promises';
import { clientQuery, createHostKey } from '../load/host-key.ts';
import type { Endpoint } from '../load/peer.ts';
import {
  orphanQuery,
  refuseMany,
  strangerAddress,
  upgradeUntilClosed,
  wronglySignedQuery,
} from '../load/refusal.ts';
import { RelayHost } from '../load/relay-host.ts';
import { type Figure, Ledger } from '../measure/ledger.ts';
import { cpuNs } from '../measure/process-meter.ts';
import type { Check } from '../results.ts';
import type { RunningRival } from '../rivals/rival.ts';
import { inRoundOrder, participants, type Scenario, startRival, withRunning } from './scenario.ts';

/** The default limit of upgrades per address and window. */
const ADMISSIONS_PER_IP = 120;
const FLAT_WITHIN = 1.25;
const key = createHostKey();

interface Kind {
  readonly name: string;
  readonly code: number;
  /** Made before the measurement of this kind. */
  prepare?(port: number): Promise<void>;
  endpoint(port: number): Endpoint;
}

const crowdedAddress = '192.0.2.1';

const kinds: readonly Kind[] = [
  {
    name: 'malformed',
    code: 1008,
    endpoint: (port) => ({ port, query: 'v=1&role=client', forwardedFor: strangerAddress() }),
  },
  {
    name: 'over limit',
    code: 4029,
    prepare: async (port) => {
      for (let index = 0; index < ADMISSIONS_PER_IP; index += 1) {
        await upgradeUntilClosed({ port, query: clientQuery(key.serverId), forwardedFor: crowdedAddress });
      }
    },
    endpoint: (port) => ({ port, query: clientQuery(key.serverId), forwardedFor: crowdedAddress }),
  },
  {
    name: 'bad signature',
    code: 4010,
    endpoint: (port) => ({ port, query: wronglySignedQuery(key), forwardedFor: strangerAddress() }),
  },
];

interface Tables {
  readonly label: string;
  readonly entries: number;
  readonly hosts: number;
}

/**
 * Refused upgrades, each a connection of its own, against two relays whose tables are full: one with small tables and
 * one with large ones. Most refusals come from addresses never seen before, so that each has to displace a record.
 */
export const refused: Scenario = {
  name: 'refused',
  run: async (context) => {
    const ledger = new Ledger('refused');
    const small: Tables = { label: '64 entries', entries: 64, hosts: 8 };
    const entries = context.quick ? 2000 : 10_000;
    const large: Tables = { label: `${entries} entries`, entries, hosts: 256 };
    const count = context.quick ? 300 : 1200;
    const [ours] = participants(context, ['ours']);
    if (ours !== undefined) {
      const starts = [small, large].map((tables) => () => startRival(context, ours, limitsFor(tables)));
      await withRunning(starts, async ([withSmall, withLarge]) => {
        const sides = [
          { tables: small, running: withSmall },
          { tables: large, running: withLarge },
        ].flatMap(({ tables, running }) => (running === undefined ? [] : [{ tables, running }]));
        for (const { tables, running } of sides) {
          context.progress(`refused: filling tables of ${tables.label}`);
          // Both relays get as many upgrades, so that both are equally warm.
          await fillTables(running, tables, large.entries);
        }
        // Round -1 warms the code up and is not counted.
        for (let round = -1; round < context.rounds; round += 1) {
          for (const { tables, running } of inRoundOrder(sides, round)) {
            for (const kind of kinds) {
              context.progress(`refused, round ${round + 1}, ${kind.name}, ${tables.label}`);
              const cpu = await measureRefusals(running, kind, count);
              if (round >= 0) {
                ledger.add('ours', figureOf(kind, tables), cpu);
              }
            }
          }
        }
      });
    }
    return {
      measurements: ledger.measurements(),
      checks: kinds.map((kind) => checkOf(ledger, kind, [small, large])),
    };
  },
};

function limitsFor(tables: Tables): Record<string, string> {
  const entries = String(tables.entries);
  return {
    TRUST_PROXY: 'true',
    MAX_ADMISSION_ENTRIES: entries,
    MAX_REPLAY_ENTRIES: entries,
    MAX_HOSTS: String(tables.hosts),
    MAX_ADMISSIONS_PER_IP: String(ADMISSIONS_PER_IP),
    // No window may end while it is measured: it would empty the table.
    ADMISSION_WINDOW_MS: '3600000',
    TIMESTAMP_SKEW_MS: '1800000',
    REPLAY_MS: '3600000',
  };
}

async function fillTables({ port }: RunningRival, tables: Tables, upgrades: number): Promise<void> {
  for (let index = 0; index < tables.hosts; index += 1) {
    await new RelayHost(port).connect();
  }
  await refuseMany(upgrades, {
    code: 4002,
    endpoint: () => ({ port, query: orphanQuery(key), forwardedFor: strangerAddress() }),
  });
}

/** CPU time of the relay in microseconds per refused upgrade, TCP connection and closing handshake included. */
async function measureRefusals({ port, pid }: RunningRival, kind: Kind, count: number): Promise<number> {
  await kind.prepare?.(port);
  await sleep(100);
  const before = cpuNs(pid);
  await refuseMany(count, { code: kind.code, endpoint: () => kind.endpoint(port) });
  return (cpuNs(pid) - before) / 1000 / count;
}

function checkOf(ledger: Ledger, kind: Kind, [small, large]: readonly [Tables, Tables]): Check {
  return ledger.ratioCheck({
    figure: { variant: kind.name, figure: `CPU each, ${large.label} ÷ ${small.label}`, unit: '' },
    of: ledger.rounds('ours', figureOf(kind, large)),
    to: ledger.rounds('ours', figureOf(kind, small)),
    bound: { relation: '≤', value: FLAT_WITHIN },
  });
}

function figureOf(kind: Kind, tables: Tables): Figure {
  return { variant: kind.name, figure: `CPU each, tables of ${tables.label} full`, unit: 'µs' };
}
