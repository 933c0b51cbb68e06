import { connectInMemory } from './memory-end.ts';
import { interpret } from './oracle.ts';
import type { Said } from './oracle.ts';
import { judge } from './judge.ts';
import { LibraryPeer } from './library-peer.ts';
import type { FuzzPeer } from './peer.ts';
import { makePlan } from './make-plan.ts';
import { needsTime, stopsForEver } from './plan.ts';
import type { CasePlan } from './plan.ts';
import { Progress } from './progress.ts';
import { Random } from './random.ts';
import { RawPeer } from './raw-peer.ts';
import { awaitUpgrade, FuzzRelay } from './relay.ts';
import type { FirstEnd } from './relay.ts';
import type { TcpDoor } from './tcp-door.ts';

/** Turns in which nothing moves, after which nothing will. */
const IDLE_TURNS = 50;
/** Turns after which nobody is probed any more: pings and pongs are movement too. */
const MAX_PROBING_TURNS = 1000;
/** Turns after which a case in memory cannot be right. */
const MAX_TURNS = 200_000;
/** How long a case over real sockets may take, in ms. */
const MAX_TCP_MS = 20_000;
/** How far time is moved when nothing else happens, and how far in all, in ms. */
const TIME_STEP_MS = 5000;
const MAX_TIME_MS = 300_000;

/** A case as it went. */
export interface CaseResult {
  readonly plan: CasePlan;
  /** What is wrong; nothing when all is well. */
  readonly faults: readonly string[];
  readonly messages: number;
  readonly bytes: number;
  readonly turns: number;
  /** What the case was about, to be counted: a run that never pauses a source proves little. */
  readonly traits: readonly string[];
}

/** Plays the case of a seed. Equal seeds give equal cases; over real sockets the kernel's timing is not equal. */
export async function runCase(seed: number, door: TcpDoor): Promise<CaseResult> {
  const plan = makePlan(seed);
  const progress = new Progress();
  const relay = new FuzzRelay(plan, progress);
  const faults: string[] = [];
  const peers =
    plan.medium === 'tcp' ? door.open(plan, progress, relay) : openInMemory(plan, progress, relay);
  const wasGivenTime = await play({ plan, progress, relay, peers, faults });
  const reports = [peers[0].report(), peers[1].report()] as const;
  const said: Said[] = [];
  for (const side of [0, 1] as const) {
    const context = {
      maxMessageBytes: plan.limits.maxMessageBytes,
      report: (what: string) => void faults.push(what),
    };
    said.push(await interpret(plan.sides[side], reports[side].done, context));
  }
  // When a case got stuck, or its sides never met, that is all there is to say.
  if (faults.length === 0 && relay.wires.every((wire) => wire !== undefined)) {
    faults.push(...judge({ plan, relay, reports, said: said as [Said, Said], wasGivenTime }));
  }
  const messages = [...reports[0].messages, ...reports[1].messages];
  const bytes = messages.reduce((sum, { payload }) => sum + payload.length, 0);
  const traits = [plan.medium, `ended by ${describeEnd(relay.firstEnd)}`, ...relay.traits];
  if (wasGivenTime) traits.push('given time');
  return { plan, faults, messages: messages.length, bytes, turns: progress.turn, traits };
}

function describeEnd(end: FirstEnd | undefined): string {
  if (end === undefined) return 'nothing';
  if (end.kind === 'peer') return `a ${end.cause.kind} peer`;
  return end.kind === 'relay' ? `the relay, ${end.why}` : 'a stall';
}

function openInMemory(plan: CasePlan, progress: Progress, relay: FuzzRelay): readonly [FuzzPeer, FuzzPeer] {
  const random = new Random(plan.seed ^ 0x5bd1e995);
  const open = (side: 0 | 1): FuzzPeer => {
    const connection = connectInMemory(plan.sides[side], random, progress);
    awaitUpgrade(connection.relay, (upgrade) => relay.accept(side, upgrade));
    const setting = { plan: plan.sides[side], progress, connect: () => connection.peer, path: '/ws' };
    return plan.sides[side].kind === 'ws' ? new LibraryPeer(setting) : new RawPeer(setting);
  };
  return [open(0), open(1)];
}

interface Playing {
  readonly plan: CasePlan;
  readonly progress: Progress;
  readonly relay: FuzzRelay;
  readonly peers: readonly [FuzzPeer, FuzzPeer];
  readonly faults: string[];
}

/** Lets turns pass until both sides are gone. Gives whether time had to pass as well. */
async function play(playing: Playing): Promise<boolean> {
  const { plan, progress, relay, peers, faults } = playing;
  const startMs = performance.now();
  let spentMs = 0;
  while (!isOver(playing)) {
    await progress.next();
    watchBounds(playing);
    if (progress.turn === plan.closeAfterTurns) {
      relay.close('planned');
      progress.idleTurns = 0;
    }
    const isProbing = plan.probeEveryTurns !== undefined && progress.turn < MAX_PROBING_TURNS;
    if (isProbing && progress.turn % plan.probeEveryTurns === 0) relay.probe();
    if (plan.medium === 'tcp') {
      if (performance.now() - startMs > MAX_TCP_MS)
        faults.push(`not over after ${MAX_TCP_MS} ms: ${describeState(playing)}`);
    } else if (progress.turn > MAX_TURNS) {
      faults.push(`not over after ${MAX_TURNS} turns: ${describeState(playing)}`);
    } else if (progress.idleTurns >= IDLE_TURNS) {
      progress.idleTurns = 0;
      spentMs += goOn(playing, spentMs);
    }
    if (faults.length > 0) break;
  }
  for (const peer of peers) peer.leave();
  return spentMs > 0;
}

/** Whether both sides are gone; a peer that never reads again does not notice. */
function isOver({ plan, relay, peers }: Playing): boolean {
  const isBlind = plan.sides.map(stopsForEver);
  return relay.isOver && (isBlind[0] === true || peers[0].isOver) && (isBlind[1] === true || peers[1].isOver);
}

/** Nothing moves any more: time passes if somebody has to be given up, else the relay stops. Gives the time spent. */
function goOn(playing: Playing, spentMs: number): number {
  const { plan, relay, faults } = playing;
  if (relay.abandon()) {
    relay.close('idle');
    return 0;
  }
  const isEnding = relay.firstEnd !== undefined;
  if (needsTime(plan) && spentMs < MAX_TIME_MS) {
    // A receiver that stalls is found only while data waits for it; when time is up, the relay stops.
    if (!isEnding && spentMs >= MAX_TIME_MS / 2) relay.close('idle');
    relay.clock.advance(TIME_STEP_MS);
    return TIME_STEP_MS;
  }
  if (isEnding) faults.push(`stuck after ${JSON.stringify(relay.firstEnd)}: ${describeState(playing)}`);
  else relay.close('idle');
  return 0;
}

/** Who is still there. */
function describeState({ relay, peers }: Playing): string {
  const sides = ([0, 1] as const).map((side) => {
    const waiting = relay.wires[side]?.waitingBytes;
    const wire =
      waiting === undefined ? 'not attached' : relay.goneCounts[side] > 0 ? 'gone' : `${waiting} bytes wait`;
    return `side ${side}: socket ${wire}, peer ${peers[side].isOver ? 'gone' : 'there'}`;
  });
  return `${sides.join('; ')}; ${relay.context.pausedSources.size} paused`;
}

/** What must hold in every turn: queues and their memory stay within their bounds, and are counted. */
function watchBounds({ plan, relay, faults }: Playing): void {
  const { blocks, budget, pausedSources } = relay.context;
  if (pausedSources.size > 0) relay.traits.add('a source paused');
  if (blocks.lentCount > 0) relay.traits.add('a block lent');
  if (relay.owner.isPressed) relay.traits.add('the budget pressed');
  const waiting = relay.wires.map((wire) => wire?.waitingBytes ?? 0);
  const most = plan.limits.highWaterBytes + 2 * blocks.blockBytes;
  // What was held joins what waits.
  const mostHeld = plan.attachAfterTurns === undefined ? most : 2 * most;
  if (waiting.some((bytes) => bytes > mostHeld))
    faults.push(`${waiting.join(' and ')} bytes wait, over ${mostHeld}`);
  const counted = relay.owner.usedBytes;
  const sum = waiting.reduce((total, bytes) => total + bytes, 0);
  const mayHold = plan.attachAfterTurns !== undefined && !relay.isSpliced;
  if (mayHold ? counted < sum : counted !== sum) faults.push(`${counted} bytes are counted, ${sum} wait`);
  if (budget.usedBytes !== counted + plan.hoardedBytes) faults.push('the budget and its owners disagree');
  const mostLent = 4 + Math.ceil((2 * counted) / blocks.smallestBytes);
  if (blocks.lentCount > mostLent) faults.push(`${blocks.lentCount} blocks are lent for ${counted} bytes`);
}
