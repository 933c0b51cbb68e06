import { createHash } from 'node:crypto';
import {
  activityRequest,
  makeDeviceToken,
  makeIdentity,
  pushPaths,
  RawSocket,
  registerActivityRequest,
  registerRequest,
  sendRequest,
} from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { boundServer, post, postText, registerActivity, send } from './support/push-http.ts';
import { ownPush } from './support/push-setup.ts';
import type { PushSetup } from './support/push-setup.ts';

// Push API §5, privacy. Every push relay of these tests writes what it can, and is searched at its end for whatever went
// in (support/push-setup.ts). Here it gets everything that may go wrong, with something to find in every place.

/** Text that cannot appear by chance, and that is searched for. */
function plant(setup: PushSetup, place: string): string {
  const marker = `${place} ${makeDeviceToken(12)}`;
  setup.sent.add(marker);
  return marker;
}

function headers(setup: PushSetup): Record<string, string> {
  return {
    authorization: `Bearer ${plant(setup, 'authorization')}`,
    cookie: `session=${plant(setup, 'cookie')}`,
    'user-agent': plant(setup, 'user agent'),
    'x-api-key': plant(setup, 'header'),
  };
}

async function sendEverything(setup: PushSetup): Promise<void> {
  const { identity, tokens } = await boundServer(setup, 8);
  const [ok = '', gone = '', moved = '', faulty = '', odd = '', refused = '', reset = '', echoed = ''] =
    tokens;
  setup.sandbox.script(gone, { status: 410, reason: 'Unregistered' });
  setup.sandbox.script(moved, { status: 400, reason: 'BadDeviceToken' });
  setup.sandbox.script(faulty, { status: 500, reason: 'InternalServerError' });
  setup.sandbox.script(odd, { status: 400, body: `not JSON ${odd}` });
  setup.sandbox.script(refused, { status: 400, reason: 'BadTopic' });
  setup.sandbox.script(reset, { fault: 'tcp-reset' });
  setup.sandbox.script(echoed, { status: 400, reason: `Unknown token ${echoed}` });
  for (const token of tokens) {
    const fields = {
      title: plant(setup, 'title'),
      body: plant(setup, 'body'),
      collapseId: plant(setup, 'collapseId'),
      data: { [plant(setup, 'key')]: plant(setup, 'value') },
    };
    await send(setup, identity, { tokens: [token], ...fields });
    await send(setup, identity, { tokens: [token.toUpperCase(), ok, makeDeviceToken()], ...fields });
  }
  const activity = makeDeviceToken(80);
  await registerActivity(setup, identity, activity);
  const item = {
    sessionID: plant(setup, 'session'),
    title: plant(setup, 'item'),
    status: 'tool',
    startedAt: 1,
  };
  const contentState = {
    status: 'working',
    eventVersion: 1,
    updatedAt: 1,
    title: plant(setup, 'activity'),
    items: [item],
  };
  await post(setup, activityRequest(identity, { tokens: [activity], event: 'update', contentState }));
}

async function getEverythingWrong(setup: PushSetup): Promise<void> {
  const { identity, token } = await boundServer(setup);
  const fields = { tokens: [token], title: plant(setup, 'title of a fault') };
  for (const request of [
    sendRequest(identity, fields, { signedText: plant(setup, 'another signed text') }),
    sendRequest(identity, fields, { ts: 1 }),
    sendRequest(identity, fields, { overrides: { tokens: [plant(setup, 'no token')] } }),
    sendRequest(identity, fields, { overrides: { body: 1, extra: plant(setup, 'unknown member') } }),
    sendRequest(identity, fields, { overrides: { data: { aps: plant(setup, 'aps') } } }),
    sendRequest(identity, fields, { overrides: { env: plant(setup, 'env') } }),
    sendRequest(identity, fields, { overrides: { sig: plant(setup, 'sig') } }),
    sendRequest(identity, fields, {
      overrides: { publicKeyJwk: { ...identity.publicJwk, x: plant(setup, 'x') } },
    }),
    sendRequest(identity, fields, { overrides: { [plant(setup, 'name of a member')]: 1 } }),
    registerRequest(identity, plant(setup, 'token')),
    registerRequest(identity, makeDeviceToken(), { overrides: { platform: plant(setup, 'platform') } }),
    registerActivityRequest(identity, makeDeviceToken(), { overrides: { kind: plant(setup, 'kind') } }),
    registerActivityRequest(makeIdentity(), makeDeviceToken(), { overrides: { token: makeDeviceToken() } }),
  ]) {
    await post(setup, request, { headers: headers(setup) });
  }
  const replay = sendRequest(identity, fields);
  for (let i = 0; i < 3; i++) await post(setup, replay);
  for (const text of [
    plant(setup, 'not JSON'),
    `{"token":"${plant(setup, 'half')}`,
    `"${plant(setup, 'string')}"`,
  ]) {
    await postText(setup, pushPaths.send, text);
  }
  await postText(setup, pushPaths.send, plant(setup, 'too large').padEnd(20_000, 'x'));
  for (const path of ['/v1/push/send', '/healthz', '/v1/push/none', `/${makeDeviceToken()}`]) {
    setup.sent.add(path.slice(1));
    const query = encodeURIComponent(plant(setup, 'query').replaceAll(' ', '-'));
    await postText(setup, `${path}?token=${query}`, '{}', { method: path === '/healthz' ? 'GET' : 'POST' });
  }
  const { host, port } = setup.push;
  for (const bytes of [
    `POST /v1/push/send?${plant(setup, 'broken').replaceAll(' ', '-')} HTTP/9.9\r\n\r\n`,
    `POST /v1/push/send HTTP/1.1\r\nHost: a\r\nX: ${plant(setup, 'bad header')}\u0000\r\n\r\n`,
    `POST /v1/push/send HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${plant(setup, 'bad chunk')}\r\n`,
  ]) {
    const raw = await RawSocket.connect({ host, port });
    onTestFinished(() => raw.destroy());
    await raw.write(bytes);
    await raw.response().catch(() => raw.ended());
  }
}

describe.each(['trace', 'info'])('at log level %s', (level) => {
  it('nothing that was said is in the log', async () => {
    const limits = { LOG_LEVEL: level };
    const setup = await ownPush({ limits });
    await sendEverything(setup);
    await getEverythingWrong(setup);
    setup.push.kill('SIGTERM');
    await setup.push.exited;
    const [log, output] = [setup.push.stderr(), setup.push.stdout()];
    expect(setup.sent.foundIn(log), log).toEqual([]);
    expect(setup.sent.foundIn(output), output).toEqual([]);
    // Provider tokens (JWTs begin like this), and all kinds of key material.
    for (const text of [/eyJ[\w-]{8}/u, /bearer /iu, /PRIVATE KEY/u, /"sig":/u, /"[xy]":/u]) {
      expect(log).not.toMatch(text);
    }
    // The search would find it.
    const marker = plant(setup, 'this line');
    expect(setup.sent.foundIn(`found: ${marker}`)).toEqual([marker]);
  });
});

/** What a token could be shortened to by somebody who means well. */
function guesses(token: string): string[] {
  const inputs = [token, token.toUpperCase(), Buffer.from(token, 'hex')];
  const digests = ['sha256', 'sha1', 'md5', 'sha512'].flatMap((name) =>
    inputs.map((input) => createHash(name).update(input).digest()),
  );
  const encodings = ['hex', 'base64', 'base64url'] as const;
  const hashes = digests.flatMap((digest) =>
    encodings.map((encoding) => digest.toString(encoding).slice(0, 8)),
  );
  return [token.slice(0, 8), token.slice(-8), ...hashes];
}

describe('a token in the log', () => {
  it('is neither its beginning nor a hash that anybody can compute, and another one in another process', async () => {
    const token = makeDeviceToken();
    const marks: string[][] = [];
    for (let i = 0; i < 2; i++) {
      const setup = await ownPush();
      const identity = makeIdentity();
      await post(setup, registerRequest(identity, token));
      setup.sandbox.script(token, { status: 410, reason: 'Unregistered' });
      await send(setup, identity, { tokens: [token] });
      setup.push.kill('SIGTERM');
      await setup.push.exited;
      const log = setup.push.stderr();
      for (const part of guesses(token)) expect(log).not.toContain(part);
      marks.push([...log.matchAll(/"token":"([^"]+)"/gu)].map((match) => match[1] ?? ''));
    }
    // Whoever reads two logs cannot tell that it is the same device; that it is named at all is not asked for.
    const [first = [], second = []] = marks;
    for (const mark of first) expect(second).not.toContain(mark);
  });
});
