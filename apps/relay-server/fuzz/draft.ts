import {
  activityRequest,
  registerActivityRequest,
  registerAndroidRequest,
  registerRequest,
  sendRequest,
  unregisterActivityRequest,
} from '@openchambery/testkit';
import type {
  ActivityFields,
  pushPaths,
  PushRequest,
  PushRequestOptions,
  SendFields,
} from '@openchambery/testkit';
import { makeReaction } from './apns-script.ts';
import type { Server, Tools } from './fixtures.ts';
import type { Outcome } from './outcome.ts';
import type { Random } from './random.ts';

/** A request of the contract before it is signed, and what is due for it. */
export interface Draft {
  readonly route: keyof typeof pushPaths;
  readonly server: Server;
  /** What is beside key, ts and signature. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly outcomes: readonly Outcome[];
}

const STATUSES = ['working', 'tool', 'retry', 'input', 'permission', 'stale', 'complete', 'error'];

/** A request that is right in every way. */
export function makeDraft(tools: Tools): Draft {
  return tools.random.weighted<(tools: Tools) => Draft>(DRAFTS)(tools);
}

const DRAFTS: readonly (readonly [number, (tools: Tools) => Draft])[] = [
  [25, draftRegistration],
  [10, (tools) => draftActivityRegistration(tools, 'registerActivity')],
  [8, (tools) => draftActivityRegistration(tools, 'unregisterActivity')],
  [37, draftSend],
  [20, draftActivity],
];

/** Signs what the draft holds, whether the contract allows it or not. */
export function sign({ route, server, fields }: Draft, options: PushRequestOptions = {}): PushRequest {
  const { identity } = server;
  const token = String(fields['token']);
  switch (route) {
    case 'register':
      return fields['platform'] === 'android'
        ? registerAndroidRequest(identity, token, options)
        : registerRequest(identity, token, options);
    case 'registerActivity':
      return registerActivityRequest(identity, token, options);
    case 'unregisterActivity':
      return unregisterActivityRequest(identity, token, options);
    case 'send':
      return sendRequest(identity, fields as unknown as SendFields, options);
    case 'activity':
      return activityRequest(identity, fields as unknown as ActivityFields, options);
  }
}

function pickServer({ random, fixtures }: Tools): Server {
  return random.pick(fixtures.servers);
}

function draftRegistration(tools: Tools): Draft {
  const { random, markers } = tools;
  const server = pickServer(tools);
  if (random.chance(0.3)) {
    const token = random.chance(0.5) ? random.pick(server.androidTokens) : markers.fcmToken();
    return { route: 'register', server, fields: { token, platform: 'android' }, outcomes: ['ok'] };
  }
  const token = random.chance(0.5) ? random.pick(server.tokens) : markers.hex(random.integer(32, 256));
  return { route: 'register', server, fields: { token, platform: 'ios' }, outcomes: ['ok'] };
}

function draftActivityRegistration(tools: Tools, route: 'registerActivity' | 'unregisterActivity'): Draft {
  const { random, markers } = tools;
  const server = pickServer(tools);
  const isKnown = random.chance(0.6);
  const token = isKnown ? random.pick(server.activityTokens) : markers.hex(random.integer(32, 256));
  return { route, server, fields: { token, platform: 'ios', kind: 'liveactivity' }, outcomes: ['ok'] };
}

/** One to four tokens, seldom a hundred: bound ones, unknown ones, others' ones, and some twice. */
function pickTokens(tools: Tools, own: readonly string[], android: readonly string[] = []): string[] {
  const { random, markers, services } = tools;
  const count = random.chance(0.01) ? 100 : random.integer(1, 4);
  const tokens: string[] = [];
  for (let i = 0; i < count; i++) {
    const token = random.weighted<() => string>([
      [80, () => random.pick(android.length > 0 && random.chance(0.3) ? android : own)],
      [10, () => markers.hex(random.integer(32, 100))],
      [5, () => random.pick(pickServer(tools).tokens)],
      [5, () => tokens[0] ?? random.pick(own)],
    ])();
    tokens.push(random.chance(0.03) ? token.toUpperCase() : token);
  }
  for (const token of new Set(tokens.slice(0, 4))) {
    for (const service of services) service.script(token, makeReaction(tools));
  }
  return tokens;
}

function draftSend(tools: Tools): Draft {
  const { random, markers } = tools;
  const server = pickServer(tools);
  const tokens = pickTokens(tools, server.tokens, server.androidTokens);
  const fields: Record<string, unknown> = { tokens, title: markers.text() };
  if (random.chance(0.7))
    fields['body'] = Array.from({ length: random.integer(0, 6) }, () => markers.text()).join(' ');
  if (random.chance(0.3)) fields['badge'] = random.integer(0, 1_000_000);
  if (random.chance(0.4)) fields['collapseId'] = markers.word() + random.pick(['', ' ~!"\\', '%00']);
  if (random.chance(0.4)) fields['env'] = random.pick(['production', 'sandbox']);
  if (random.chance(0.6)) {
    const names = Array.from({ length: random.integer(0, 8) }, () => markers.text());
    fields['data'] = Object.fromEntries(
      names.map((name) => [name, random.chance(0.1) ? '' : markers.text()]),
    );
  }
  return { route: 'send', server, fields, outcomes: ['ok'] };
}

function draftActivity(tools: Tools): Draft {
  const { random, markers } = tools;
  const server = pickServer(tools);
  const event = random.chance(0.1) ? 'end' : 'update';
  const state: Record<string, unknown> = {
    status: random.pick(STATUSES),
    eventVersion: random.integer(-5, 1e6),
    updatedAt: makeTime(random),
  };
  if (event === 'end' || random.chance(0.2)) state['endedAt'] = makeTime(random);
  if (random.chance(0.5)) state['title'] = markers.text();
  if (random.chance(0.4)) state['workingCount'] = random.integer(0, 9);
  if (random.chance(0.5))
    state['items'] = Array.from({ length: random.integer(0, 4) }, () => makeItem(tools));
  const fields: Record<string, unknown> = {
    tokens: pickTokens(tools, server.activityTokens),
    event,
    contentState: state,
  };
  if (random.chance(0.2)) fields['dismissalDate'] = random.integer(-1, 2e9);
  if (random.chance(0.2)) fields['staleDate'] = random.integer(-1, 2e9);
  if (random.chance(0.3)) fields['env'] = random.pick(['production', 'sandbox']);
  return { route: 'activity', server, fields, outcomes: ['ok'] };
}

function makeItem({ random, markers }: Tools): Record<string, unknown> {
  return {
    [random.pick(['sessionID', 'sessionId'])]: markers.text(),
    ...(random.chance(0.8) ? { title: markers.text() + 'x'.repeat(random.chance(0.1) ? 90 : 0) } : {}),
    status: random.pick(STATUSES),
    startedAt: makeTime(random),
    ...(random.chance(0.3) ? { endedAt: makeTime(random) } : {}),
    ...(random.chance(0.1) ? { [markers.word()]: markers.word() } : {}),
  };
}

/** Numbers of every shape that JSON writes: they are part of what is signed. */
function makeTime(random: Random): number {
  return random.pick([
    Date.now(),
    random.integer(0, 1e9) / 1000,
    0,
    -0.5,
    1e21,
    1.5e-7,
    Number.MAX_SAFE_INTEGER,
    random.next(),
  ]);
}
