import {
  clientQuery,
  makeIdentity,
  RawWebSocket,
  signedQuery,
  TestHost,
  uniqueTs,
} from '@openchambery/testkit';
import type { QueryOverrides } from '@openchambery/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { roomy, useRelay } from './support/relay.ts';
import {
  attachData,
  connectClient,
  connectHost,
  connectPending,
  expectCloseFrame,
  expectFlows,
  refusal,
  refusalAt,
} from './support/sockets.ts';

// Layer 1 §2: what an upgrade must look like; everything else is closed with 1008.

const relay = useRelay({ limits: roomy });
const identity = makeIdentity();
const { serverId } = identity;
/** A canonical connectionId that names nothing. */
const connectionId = 'AAAAAAAAAAAAAAAAAAAAAA';

let host: TestHost;
beforeAll(async () => {
  host = await TestHost.connect(relay.url, { identity });
});
afterAll(() => host.control.terminate());

const client = (overrides: QueryOverrides = {}): string => clientQuery(serverId, overrides);
const control = (overrides: QueryOverrides = {}): string =>
  signedQuery({ identity, role: 'host-control', overrides });
const data = (overrides: QueryOverrides = {}): string =>
  signedQuery({ identity, role: 'host-data', connectionId, overrides });

/** The same decoded bytes with a bit set that canonical base64url leaves zero. */
function nonCanonical(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(text.slice(-1));
  return text.slice(0, -1) + alphabet[last + 1];
}

async function expectMalformed(query: string): Promise<void> {
  expect((await refusal(relay, query)).code).toBe(1008);
}

/** The Client with this query gets through to the Host. */
async function expectAdmitted(overrides: QueryOverrides): Promise<void> {
  const peer = await connectClient(relay, serverId, { overrides });
  const id = await host.nextId('connected');
  peer.close();
  expect(await host.nextId('disconnected')).toBe(id);
}

describe('a well-formed upgrade', () => {
  it('of a Client is announced to the Host', async () => {
    await expectAdmitted({});
  });

  it('of a Host gets a sync, of its data a pair', async () => {
    const own = await connectHost(relay);
    const { client, connectionId } = await connectPending(relay, own);
    const data = await attachData(own, connectionId);
    await expectFlows({ client, data });
  });

  it.each<[string, QueryOverrides]>([
    ['a grant', { grant: 'any-text' }],
    ['an empty grant', { grant: '' }],
    ['an unknown field', { appVersion: '9.9.9' }],
    ['an unknown field twice', { flavour: ['a', 'b'] }],
    ['an unknown field over MAX_FIELD_BYTES', { note: 'n'.repeat(1000) }],
    ['a grant of MAX_FIELD_BYTES', { grant: 'g'.repeat(512) }],
    ['a grant of MAX_FIELD_BYTES in two-byte letters', { grant: 'é'.repeat(256) }],
  ])('of a Client may carry %s', async (_name, overrides) => {
    await expectAdmitted(overrides);
  });

  it('of a Host may carry unknown fields', async () => {
    const own = await connectHost(relay, { overrides: { appVersion: '0.0.1', flavour: ['x', 'x'] } });
    const { client, connectionId } = await connectPending(relay, own);
    const data = await own.attach(connectionId, { future: 'yes' });
    await expectFlows({ client, data });
  });

  it('may list its fields in any order', async () => {
    const shuffled = client({ z: '1' }).split('&').toReversed().join('&');
    const peer = refusal(relay, shuffled);
    const id = await host.nextId('connected');
    const pair = await attachData(host, id);
    pair.close(1000);
    expect((await peer).code).toBe(1012);
    expect(await host.nextId('disconnected')).toBe(id);
  });
});

describe('a missing field', () => {
  it.each(['v', 'role', 'serverId'])('%s is malformed for a Client', async (name) => {
    await expectMalformed(client({ [name]: undefined }));
  });

  it.each(['v', 'role', 'serverId', 'ts', 'sig', 'pk'])('%s is malformed for host-control', async (name) => {
    await expectMalformed(control({ [name]: undefined }));
  });

  it.each(['v', 'role', 'serverId', 'connectionId', 'ts', 'sig', 'pk'])(
    '%s is malformed for host-data',
    async (name) => {
      await expectMalformed(data({ [name]: undefined }));
    },
  );

  it('is malformed when there is no query at all', async () => {
    expect((await refusalAt(relay.url)).code).toBe(1008);
  });
});

describe('a field given twice', () => {
  it.each([
    ['v', '1'],
    ['role', 'client'],
    ['serverId', serverId],
    ['grant', 'g'],
  ])('%s is malformed for a Client', async (name, value) => {
    await expectMalformed(client({ [name]: [value, value] }));
  });

  it.each(['v', 'role', 'serverId', 'connectionId', 'ts', 'sig', 'pk'])(
    '%s is malformed for host-data',
    async (name) => {
      const query = data();
      const field = query.split('&').find((one) => one.startsWith(`${name}=`));
      await expectMalformed(`${query}&${field}`);
    },
  );

  it.each(['ts', 'sig', 'pk'])('%s is malformed for host-control', async (name) => {
    const query = control();
    const field = query.split('&').find((one) => one.startsWith(`${name}=`));
    await expectMalformed(`${query}&${field}`);
  });
});

describe('a field of another role', () => {
  it.each([
    ['connectionId', connectionId],
    ['ts', String(uniqueTs())],
    ['sig', 'A'.repeat(86)],
    ['pk', identity.pk],
  ])('%s is malformed for a Client', async (name, value) => {
    await expectMalformed(client({ [name]: value }));
  });

  it.each([
    ['connectionId', connectionId],
    ['grant', 'g'],
  ])('%s is malformed for host-control', async (name, value) => {
    await expectMalformed(control({ [name]: value }));
  });

  it('grant is malformed for host-data', async () => {
    await expectMalformed(data({ grant: 'g' }));
  });
});

describe('a wrong value', () => {
  it.each(['0', '2', '01', '1.0', ' 1', '', 'v1'])('v=%j is malformed', async (v) => {
    await expectMalformed(client({ v }));
  });

  it.each(['', 'Client', 'host', 'host_control', 'client ', 'host-control,client'])(
    'role=%j is malformed',
    async (role) => {
      await expectMalformed(client({ role }));
    },
  );

  it.each([
    ['empty', ''],
    ['42 characters', serverId.slice(0, 42)],
    ['44 characters', `${serverId}A`],
    ['padded', `${serverId}=`],
    ['standard base64', `+/${serverId.slice(2)}`],
    ['not base64', `${serverId.slice(0, 42)}!`],
    ['not canonical', nonCanonical(serverId)],
    ['with a space', `${serverId.slice(0, 42)} `],
  ])('a serverId that is %s is malformed', async (_name, value) => {
    await expectMalformed(client({ serverId: value }));
  });

  it.each([
    ['empty', ''],
    ['21 characters', connectionId.slice(0, 21)],
    ['23 characters', `${connectionId}A`],
    ['padded', `${connectionId}==`],
    ['standard base64', `+/${connectionId.slice(2)}`],
    ['not canonical', nonCanonical(connectionId)],
  ])('a connectionId that is %s is malformed', async (_name, value) => {
    await expectMalformed(data({ connectionId: value }));
  });
});

describe('sizes', () => {
  /** A target of exactly so many bytes, filled up by a field that nobody knows. */
  function queryOf(targetBytes: number): string {
    const start = `${client()}&x=`;
    const used = `${relay.path}?${start}`.length;
    return start + 'x'.repeat(targetBytes - used);
  }

  it('takes a target of MAX_URL_BYTES', async () => {
    const peer = await connectClient(relay, serverId, {
      overrides: { x: queryOf(4096).split('&x=')[1] },
    });
    const id = await host.nextId('connected');
    peer.close();
    expect(await host.nextId('disconnected')).toBe(id);
  });

  it('refuses a target one byte over MAX_URL_BYTES', async () => {
    await expectMalformed(queryOf(4097));
  });

  it.each([
    ['one byte over MAX_FIELD_BYTES', 'g'.repeat(513)],
    ['one two-byte letter over MAX_FIELD_BYTES', 'é'.repeat(257)],
    ['171 three-byte letters, 513 bytes', '€'.repeat(171)],
  ])('refuses a grant of %s', async (_name, grant) => {
    await expectMalformed(client({ grant }));
  });

  it('refuses an oversize field of a Host as malformed, before its signature', async () => {
    await expectMalformed(control({ sig: 'A'.repeat(513) }));
    await expectMalformed(control({ pk: 'A'.repeat(513) }));
    await expectMalformed(control({ ts: '1'.repeat(513) }));
  });

  it('accepts nothing of a Host whose target is too long', async () => {
    await expectMalformed(control({ x: 'x'.repeat(4000) }));
  });
});

describe('the path as sent', () => {
  it.each([
    '/',
    '/w',
    '/ws/',
    '/wss',
    '/WS',
    '/%77s',
    '/w%73',
    '/ws%20',
    '/ws;a',
    '//ws',
    '/x/ws',
    '/healthz',
  ])('%s is not PATH', async (path) => {
    const url = relay.url.replace(/\/ws$/u, path);
    expect((await refusalAt(`${url}?${client()}`)).code).toBe(1008);
  });
});

describe('a path that would be PATH after normalisation', () => {
  it.each(['/./ws', '/x/../ws', '/ws/.', '/ws/../ws', '/../ws', '/%2e/ws'])(
    '%s is not PATH',
    async (path) => {
      const request = { target: `${path}?${client()}` };
      const socket = await RawWebSocket.open({ host: relay.host, port: relay.port, request });
      onTestFinished(() => socket.raw.destroy());
      await expectCloseFrame(socket, 1008);
    },
  );
});

describe('PATH and limits from the configuration', () => {
  const limits = { ...roomy, MAX_URL_BYTES: 300, MAX_FIELD_BYTES: 100 };
  const small = useRelay({ limits, args: ['--path', '/relay/v1.0'] });

  it('only the configured path is the path', async () => {
    const url = small.url.replace('/relay/v1.0', '/ws');
    expect((await refusalAt(`${url}?${client()}`)).code).toBe(1008);
    expect((await refusal(small, client())).code).toBe(4008);
  });

  it('MAX_FIELD_BYTES and MAX_URL_BYTES hold at the limit and one over', async () => {
    const at = async (overrides: QueryOverrides): Promise<number> =>
      (await refusal(small, client(overrides))).code;
    expect(await at({ grant: 'g'.repeat(100) })).toBe(4008);
    expect(await at({ grant: 'g'.repeat(101) })).toBe(1008);
    const rest = 300 - `${small.path}?${client({ x: '' })}`.length;
    expect(await at({ x: 'x'.repeat(rest) })).toBe(4008);
    expect(await at({ x: 'x'.repeat(rest + 1) })).toBe(1008);
  });
});
