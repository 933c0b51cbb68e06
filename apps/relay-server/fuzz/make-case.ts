import { pushPaths } from '@openchambery/testkit';
import { spoilBody, writeBody } from './body-text.ts';
import type { Body } from './body-text.ts';
import type { Draft } from './draft.ts';
import { makeDraft, sign } from './draft.ts';
import type { Tools } from './fixtures.ts';
import { askForNothing, breakHttp, overfill } from './http-odd.ts';
import { frame, makeCuts, withQuery } from './http-request.ts';
import type { Outcome } from './outcome.ts';
import type { CasePlan, Exchange } from './plan.ts';
import { spoilEnvelope } from './spoil-envelope.ts';
import type { Signed } from './spoil-envelope.ts';
import { spoilFields } from './spoil-fields.ts';
import { spoilMembers } from './spoil-members.ts';

type Kind =
  | 'valid'
  | 'fields'
  | 'envelope'
  | 'members'
  | 'body'
  | 'replay'
  | 'other route'
  | 'nothing there'
  | 'broken HTTP'
  | 'too large';

const KINDS: readonly (readonly [number, Kind])[] = [
  [24, 'valid'],
  [12, 'fields'],
  [14, 'envelope'],
  [14, 'members'],
  [14, 'body'],
  [5, 'replay'],
  [3, 'other route'],
  [4, 'nothing there'],
  [9, 'broken HTTP'],
  [1, 'too large'],
];

/** A request whose JSON is known, and how its tokens come back. */
interface Writing extends Signed {
  readonly rows?: readonly string[] | undefined;
}

/** The case of a seed. Keys, tokens and texts follow from it; times and signatures are new each time. */
export function makeCase(seed: number, tools: Tools): CasePlan {
  const { random } = tools;
  const kind = random.weighted(KINDS);
  const draft = makeDraft(tools);
  const exchanges = makeExchanges(kind, draft, tools);
  const mayPipeline = exchanges.every(({ due }) => due.kind === 'answer' && due.after === 'goes-on');
  const isPipelined = mayPipeline && kind !== 'replay' && kind !== 'other route' && random.chance(0.1);
  if (isPipelined) {
    const more = random.integer(1, 5);
    for (let i = 0; i < more; i++) exchanges.push(...makeExchanges('valid', makeDraft(tools), tools));
  }
  return { seed, exchanges, isPipelined, traits: [kind, draft.route, ...(isPipelined ? ['pipelined'] : [])] };
}

function makeExchanges(kind: Kind, draft: Draft, tools: Tools): Exchange[] {
  switch (kind) {
    case 'valid':
      return [write(signed(draft), tools)];
    case 'fields':
      return [write({ ...signed(spoilFields(draft, tools)), rows: undefined }, tools)];
    case 'envelope':
      return [write(spoilEnvelope(draft, tools), tools)];
    case 'members':
      return [write(spoilMembers(draft, tools), tools)];
    case 'body':
      return [finish(pushPaths[draft.route], spoilBody(jsonOf(draft), draft.outcomes, tools), tools)];
    case 'replay':
      return replay(draft, tools);
    case 'other route':
      return useTwice(draft, tools);
    case 'nothing there':
      return [askForNothing(Buffer.from(jsonOf(draft)), tools)];
    case 'broken HTTP':
      return [breakHttp(Buffer.from(jsonOf(draft)), tools)];
    case 'too large':
      return [overfill(Buffer.from(jsonOf(draft)), tools)];
  }
}

function jsonOf(draft: Draft): string {
  return JSON.stringify(sign(draft).body);
}

function signed(draft: Draft): Writing {
  const { tokens } = draft.fields;
  const rows = Array.isArray(tokens) ? distinct(tokens as string[]) : undefined;
  return { request: sign(draft), outcomes: outcomesOf(draft), rows };
}

/** Two spellings of a token of Apple's are one device; the first is what comes back. */
function distinct(tokens: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const token of tokens) {
    const known = /^(?:[\da-f]{2}){32,256}$/i.test(token) ? token.toLowerCase() : token;
    if (!seen.has(known)) seen.set(known, token);
  }
  return [...seen.values()];
}

/** A token that is in use by another server's case at the same time may just be that server's. */
function outcomesOf({ route, outcomes }: Draft): readonly Outcome[] {
  return route === 'unregisterActivity' ? [...outcomes, 'invalid_signature'] : outcomes;
}

/** The very same request again: registrations may be repeated, sends may not. */
function replay(draft: Draft, tools: Tools): Exchange[] {
  const writing = signed(draft);
  const isSend = draft.route === 'send' || draft.route === 'activity';
  const again: Writing = isSend ? { ...writing, outcomes: ['replay'], rows: undefined } : writing;
  return [write(writing, tools), write(again, tools), write(again, tools)];
}

/** What registers a Live Activity's token also unregisters it, but not with the same words. */
function useTwice(draft: Draft, tools: Tools): Exchange[] {
  const { random, markers } = tools;
  const fields = { token: markers.hex(80), platform: 'ios', kind: 'liveactivity' };
  const registration: Draft = { ...draft, route: 'registerActivity', fields, outcomes: ['ok'] };
  const first = sign(registration);
  const second = { ...first, path: random.chance(0.8) ? pushPaths.unregisterActivity : pushPaths.register };
  const outcomes: readonly Outcome[] =
    second.path === pushPaths.register ? ['invalid_signature'] : ['replay'];
  return [write({ request: first, outcomes: ['ok'] }, tools), write({ request: second, outcomes }, tools)];
}

function write({ request, outcomes, rows }: Writing, tools: Tools): Exchange {
  const body = writeBody(JSON.stringify(request.body), outcomes, tools);
  return { ...finish(request.path, body, tools), ...(body.outcomes.includes('ok') ? { rows } : {}) };
}

function finish(path: string, { bytes, outcomes }: Body, tools: Tools): Exchange {
  const framed = frame({ target: withQuery(path, tools), body: bytes }, tools);
  return {
    bytes: framed,
    cuts: makeCuts(framed.length, tools),
    due: { kind: 'answer', outcomes, after: 'goes-on' },
  };
}
