import { randomBytes } from 'node:crypto';
import { clientQuery, makeIdentity, opcodes, signedQuery } from '@openchambery/testkit';
import type { RelayProcess } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { request } from './support/http.ts';
import { ownRelay, roomy } from './support/relay.ts';
import {
  attachData,
  connectClient,
  connectHost,
  connectPair,
  connectRaw,
  expectClosed,
  expectFlows,
  refusal,
  upgradeRaw,
} from './support/sockets.ts';

// What must not be possible, 8: any secret in any log line. Markers go in everywhere, and must come out nowhere.

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Markers by the place where they are planted. */
class Markers {
  readonly #planted = new Map<string, string>();

  plant(place: string): string {
    const marker = `M${randomBytes(12).toString('hex')}`;
    this.#planted.set(marker, place);
    return marker;
  }

  /** Something that is secret by itself. */
  add(place: string, secret: string): void {
    this.#planted.set(secret, place);
  }

  /** The places whose markers can be read in `text`, in any usual spelling. */
  foundIn(text: string): string[] {
    return [...this.#planted]
      .filter(([secret]) => spellings(secret).some((spelling) => text.includes(spelling)))
      .map(([, place]) => place);
  }
}

function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Base64 of the middle, whatever precedes it: three alignments, without the letters that neighbours share.
  const inBase64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, 24),
  );
  return [secret, encodeURIComponent(secret), bytes.toString('hex'), [...bytes].join(','), ...inBase64];
}

function addQuery(markers: Markers, name: string, query: string): string {
  for (const field of ['sig', 'pk']) {
    const value = new URLSearchParams(query).get(field);
    if (value !== null) markers.add(`${field} of ${name}`, value);
  }
  markers.add(`the query of ${name}`, query);
  return query;
}

function headers(markers: Markers, name: string): Record<string, string> {
  return {
    Authorization: `Bearer ${markers.plant(`authorization of ${name}`)}`,
    Cookie: `session=${markers.plant(`cookie of ${name}`)}`,
    'User-Agent': markers.plant(`user agent of ${name}`),
    Origin: `https://${markers.plant(`origin of ${name}`)}.example`,
    'X-Api-Key': markers.plant(`header of ${name}`),
  };
}

/** A Host, a Client and their data, with a marker in every message. */
async function plantInPair(relay: RelayProcess, markers: Markers): Promise<void> {
  const host = await connectHost(relay, {
    headers: headers(markers, 'host-control'),
    overrides: { token: markers.plant('unknown field of host-control') },
  });
  const client = await connectClient(relay, host.serverId, {
    headers: headers(markers, 'client'),
    overrides: { grant: markers.plant('grant'), key: markers.plant('unknown field of client') },
  });
  const id = await host.nextId('connected');
  await client.send(markers.plant('text before attaching'));
  const data = await attachData(host, id, { headers: headers(markers, 'host-data') });
  await data.message();
  for (const [from, to, name] of [
    [client, data, 'client'],
    [data, client, 'host-data'],
  ] as const) {
    await from.send(markers.plant(`text from ${name}`));
    await from.send(Buffer.from(markers.plant(`binary from ${name}`)));
    from.socket.ping(markers.plant(`ping from ${name}`));
    from.socket.pong(markers.plant(`pong from ${name}`));
    await to.message();
    await to.message();
    await from.roundTrip();
  }
  await host.control.send(markers.plant('text on control'));
  await host.control.send(Buffer.from(markers.plant('binary on control')));
  await host.control.roundTrip();
  client.close(4000, markers.plant('close reason of client'));
  await data.closed();
  await host.nextId('disconnected');
  const second = await connectPair(relay, host);
  second.data.close(4000, markers.plant('close reason of host-data'));
  await second.client.closed();
  host.control.close(4000, markers.plant('close reason of control'));
  await host.control.closed();
}

/** Every kind of refusal and fault, with markers in all of it. */
async function plantInRefusals(relay: RelayProcess, markers: Markers): Promise<void> {
  const identity = makeIdentity();
  const { serverId } = identity;
  const send = async (name: string, query: string): Promise<void> => {
    const { reason } = await refusal(relay, addQuery(markers, name, query), {
      headers: headers(markers, name),
    });
    expect(markers.foundIn(reason), 'in a close reason').toEqual([]);
  };
  await send('a malformed version', clientQuery(serverId, { v: markers.plant('v') }));
  await send('a malformed role', clientQuery(serverId, { role: markers.plant('role') }));
  await send('a malformed serverId', clientQuery(markers.plant('malformed serverId')));
  await send('a doubled grant', clientQuery(serverId, { grant: [markers.plant('g1'), markers.plant('g2')] }));
  await send('a grant too long', clientQuery(serverId, { grant: markers.plant('long').padEnd(600, 'x') }));
  await send('an unknown Host', clientQuery(serverId, { grant: markers.plant('grant for nobody') }));
  const role = 'host-control';
  await send('a forged signature', signedQuery({ identity, role, signedText: 'forged' }));
  await send('a late timestamp', signedQuery({ identity, role, ts: 1_700_000_000_000 }));
  await send('a strange timestamp', signedQuery({ identity, role, ts: markers.plant('ts') }));
  await send('a wrong key', signedQuery({ identity, role, overrides: { pk: markers.plant('pk') } }));
  await send('a wrong sig', signedQuery({ identity, role, overrides: { sig: markers.plant('sig') } }));
  const connectionId = 'AAAAAAAAAAAAAAAAAAAAAA';
  const duplicate = signedQuery({ identity, role: 'host-data', connectionId });
  await send('an unknown connectionId', duplicate);
  await send('a replay', duplicate);
}

/** Faults on the wire, and plain HTTP. */
async function plantInFaults(relay: RelayProcess, markers: Markers): Promise<void> {
  const host = await connectHost(relay);
  for (const opcode of [3, opcodes.continuation]) {
    const raw = await upgradeRaw(relay, clientQuery(host.serverId));
    await raw.send({ opcode, payload: markers.plant(`payload of opcode ${opcode}`) });
    await raw.closeFrame();
  }
  const big = await connectClient(relay, host.serverId);
  await host.control.roundTrip();
  big.socket.send(markers.plant('too big').padEnd(140_000, 'x'));
  await expectClosed(big, 1009);
  const query = `?key=${markers.plant('query of plain HTTP')}`;
  await request(relay, { path: `/ws${query}`, headers: headers(markers, 'plain HTTP') });
  await request(relay, { path: `/healthz${query}` });
  const body = markers.plant('body of plain HTTP');
  await request(relay, { method: 'POST', path: '/ws', body });
  const broken = await connectRaw(relay);
  await broken.write(`GET /ws${query} HTTP/9.9\r\n${markers.plant('broken HTTP')}\r\n\r\n`);
  await broken.ended();
  const badHandshake = await connectRaw(relay);
  const marker = markers.plant('bad handshake');
  await badHandshake.write(
    `GET /ws?x=${marker} HTTP/1.1\r\nHost: ${marker}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${marker}\r\n\r\n`,
  );
  expect((await badHandshake.responseHead()).status).toBe(400);
}

describe.each(LEVELS)('at log level %s', (level) => {
  it('no secret is in any line', { timeout: 40_000 }, async () => {
    const relay = await ownRelay({ limits: { ...roomy, LOG_LEVEL: level, CLOSE_DEADLINE_MS: 300 } });
    const markers = new Markers();
    await plantInPair(relay, markers);
    await plantInRefusals(relay, markers);
    await plantInFaults(relay, markers);
    relay.kill('SIGTERM');
    await relay.exited;
    expect(markers.foundIn(relay.stderr()), relay.stderr()).toEqual([]);
    expect(markers.foundIn(relay.stdout())).toEqual([]);
    expect(markers.foundIn(`found: ${markers.plant('this line')}`)).toEqual(['this line']);
    if (level === 'silent') expect(relay.stderr()).toBe('');
  });
});

describe('what is logged instead', () => {
  it('is one line for each connection, of JSON, and none for frames', async () => {
    const relay = await ownRelay({ limits: roomy });
    const host = await connectHost(relay, { localAddress: '127.0.0.8' });
    const pair = await connectPair(relay, host, { localAddress: '127.0.0.8' });
    for (let i = 0; i < 400; i++) await pair.client.send(`message ${i}`);
    for (let i = 0; i < 400; i++) await pair.data.message();
    await expectFlows(pair);
    pair.client.close(1000);
    await host.nextId('disconnected');
    host.control.close(1000);
    await host.control.closed();
    relay.kill('SIGTERM');
    await relay.exited;
    const lines = relay.stderr().trimEnd().split('\n');
    const about = lines.filter((line) => line.includes('127.0.0.8'));
    for (const line of lines) expect(JSON.parse(line)).toBeTypeOf('object');
    for (const role of ['client', 'host-data', 'host-control']) {
      expect(about.filter((line) => line.includes(role)).length, `${role}\n${relay.stderr()}`).toBe(1);
    }
    expect(lines.length).toBeLessThan(20);
    // Ids are shortened.
    expect(relay.stderr()).not.toContain(host.serverId);
    expect(relay.stderr()).not.toContain(pair.connectionId);
  });
});
