import { setTimeout as sleep } from 'node:timers/promises';
import { type Bound, type Figure, Ledger } from '../../measure/ledger.ts';
import { cpuNs } from '../../measure/process-meter.ts';
import { measureWindow } from '../../measure/window.ts';
import type { Check } from '../../results.ts';
import { inRoundOrder } from '../../scenarios/scenario.ts';
import type { FleetServer } from '../fleet.ts';
import { withClosedLoop } from '../load/closed-loop.ts';
import { warmUp } from '../load/warm-up.ts';
import { registrations, type RequestSource, sends } from '../load/signed-requests.ts';
import { startPlainPush, startPushRelay, type Target } from '../rivals/target.ts';
import { type PushBenchContext, type PushScenario, withTargets } from './scenario.ts';

/** One kind of request. */
interface Case {
  readonly variant: string;
  readonly label: string;
  /** Tokens of a send; 0 for a registration. */
  readonly tokenCount: number;
  readonly concurrency: number;
  readonly limits?: Readonly<Record<string, string>>;
  readonly ratioBound?: Bound;
  readonly pushesBound?: Bound;
  readonly ratioNote?: string;
}

const NOTHING_STORED = 'the plain handler stores nothing';
const PUSHES_AT_100: Bound = { relation: '≥', value: 10_000 };

/** With MAX_IN_FLIGHT at its default of 64, 128 pushes may be under way or wait: 64 requests, 12, or one. */
const CASES: readonly Case[] = [
  {
    variant: '1 token, 64 at a time',
    label: 'send-1',
    tokenCount: 1,
    concurrency: 64,
    ratioBound: { relation: '≥', value: 3 },
  },
  { variant: '10 tokens, 12 at a time', label: 'send-10', tokenCount: 10, concurrency: 12 },
  {
    variant: '100 tokens, 1 at a time',
    label: 'send-100',
    tokenCount: 100,
    concurrency: 1,
    pushesBound: PUSHES_AT_100,
  },
  {
    variant: '100 tokens, 4 at a time, MAX_IN_FLIGHT 200',
    label: 'send-100-wide',
    tokenCount: 100,
    concurrency: 4,
    limits: { MAX_IN_FLIGHT: '200' },
    pushesBound: PUSHES_AT_100,
  },
  {
    variant: 'registration, 64 at a time',
    label: 'register',
    tokenCount: 0,
    concurrency: 64,
    ratioNote: NOTHING_STORED,
  },
];

/** Requests as fast as they are answered: what each costs the process. */
export const requests: PushScenario = async (context) => {
  const ledger = new Ledger('requests');
  const checks: Check[] = [];
  for (const each of CASES) {
    const starts = [() => startPushRelay(context, each.label, each.limits), () => startPlainPush(context)];
    await withTargets(starts, (targets) => measureCase(context, { each, ledger, targets }));
    checks.push(...checksOf(each, ledger));
  }
  return { measurements: ledger.measurements(), checks };
};

interface CaseRun {
  readonly each: Case;
  readonly ledger: Ledger;
  readonly targets: readonly Target[];
}

async function measureCase(context: PushBenchContext, { each, ledger, targets }: CaseRun): Promise<void> {
  const source = sourceOf(each, context.fleet);
  for (const target of targets) {
    context.progress(`${each.variant}, warm-up, ${target.name}`);
    await warmUp(
      { port: target.port, concurrency: each.concurrency, source },
      { ...context, pid: target.pid },
    );
  }
  for (let round = 0; round < context.rounds; round += 1) {
    for (const target of inRoundOrder(targets, round)) {
      context.progress(`${each.variant}, round ${round + 1}, ${target.name}`);
      record(ledger, { each, target }, await readTarget(context, { each, source, target }));
    }
  }
}

interface Reading {
  readonly cpuPerRequest: number;
  readonly busy: Readonly<Record<'relay' | 'generator' | 'provider', number>>;
}

async function readTarget(
  { quick, provider }: PushBenchContext,
  { each, source, target }: { readonly each: Case; readonly source: RequestSource; readonly target: Target },
): Promise<Reading> {
  const loopOptions = { port: target.port, concurrency: each.concurrency, source };
  return withClosedLoop(loopOptions, async (loop) => {
    await sleep(quick ? 200 : 500);
    const providerBefore = cpuNs(provider.pid);
    const window = await measureWindow(target.pid, quick ? 1500 : 4000, () => loop.requestCount);
    const providerBusy = (cpuNs(provider.pid) - providerBefore) / 1e9 / window.seconds;
    return {
      cpuPerRequest: window.cpuMicroseconds / window.count,
      busy: { relay: window.relayBusy, generator: window.generatorBusy, provider: providerBusy },
    };
  });
}

function record(
  ledger: Ledger,
  { each, target }: { readonly each: Case; readonly target: Target },
  { cpuPerRequest, busy }: Reading,
): void {
  ledger.add(target.name, cpuFigure(each), cpuPerRequest);
  ledger.add(target.name, rateFigure(each), 1e6 / cpuPerRequest);
  if (each.tokenCount > 1) {
    ledger.add(target.name, pushFigure(each), (each.tokenCount * 1e6) / cpuPerRequest);
  }
  for (const [part, share] of Object.entries(busy)) {
    ledger.add(target.name, { variant: each.variant, figure: `${part} busy`, unit: 'core' }, share);
  }
}

function checksOf(each: Case, ledger: Ledger): Check[] {
  const ratio = ledger.ratioCheck({
    figure: { variant: each.variant, figure: 'requests per CPU second, ours ÷ plain', unit: '' },
    of: ledger.rounds('push', rateFigure(each)),
    to: ledger.rounds('plain-push', rateFigure(each)),
    ...(each.ratioBound === undefined ? {} : { bound: each.ratioBound }),
    ...(each.ratioNote === undefined ? {} : { note: each.ratioNote }),
  });
  if (each.pushesBound === undefined) {
    return [ratio];
  }
  const pushes = ledger.boundCheck({
    figure: { ...pushFigure(each), unit: '' },
    values: ledger.rounds('push', pushFigure(each)),
    bound: each.pushesBound,
  });
  return [ratio, pushes];
}

function sourceOf({ tokenCount }: Case, fleet: readonly FleetServer[]): RequestSource {
  return tokenCount === 0 ? registrations(fleet) : sends(fleet, tokenCount);
}

function cpuFigure({ variant }: Case): Figure {
  return { variant, figure: 'CPU per request', unit: 'µs' };
}

function rateFigure({ variant }: Case): Figure {
  return { variant, figure: 'requests per CPU second', unit: '1/s' };
}

function pushFigure({ variant }: Case): Figure {
  return { variant, figure: 'pushes per CPU second', unit: '1/s' };
}
