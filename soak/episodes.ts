import {
  clientQuery,
  delay,
  makeIdentity,
  opcodes,
  openPair,
  type Peer,
  RawWebSocket,
  signedQuery,
  TestClient,
  TestHost,
} from '@openchambery/testkit';
import type { Random } from './random.ts';

/** What an episode works with. */
export interface Stage {
  readonly url: string;
  readonly random: Random;
}

/** One thing that peers do to a relay, from connecting to being gone. */
export type Episode = (stage: Stage) => Promise<void>;

/** Messages both ways, checked; then one of many endings. */
export const transfer: Episode = async ({ url, random }) => {
  const host = await TestHost.connect(url);
  const { client, data } = await openPair(url, host);
  for (let i = 0; i < 5; i++) {
    const message = Buffer.alloc(random.pick([0, 1, 125, 126, 5000, 65_535, 65_536, 131_072]), i);
    const [from, to] = random.next() < 0.5 ? [client, data] : [data, client];
    void from.send(message);
    const received = await to.message();
    if (!received.data.equals(message)) throw new Error('a message was changed on its way');
  }
  end(random.pick([client, data, host.control]), random);
  await leave(client, data, host.control);
};

/** A receiver that stops reading while its peer sends all it can; then it reads again, or vanishes. */
export const stall: Episode = async ({ url, random }) => {
  const host = await TestHost.connect(url);
  const { client, data } = await openPair(url, host);
  const [from, to] = random.next() < 0.5 ? [client, data] : [data, client];
  to.pause();
  for (let i = 0; i < 60; i++) void from.send(Buffer.alloc(65_536));
  await delay(random.below(3500));
  if (random.next() < 0.5) to.resume();
  await delay(random.below(300));
  await leave(client, data, host.control);
};

/** A Client whose Host never attaches: it is kept, sends, and hears 4008 or leaves first. */
export const pending: Episode = async ({ url, random }) => {
  const host = await TestHost.connect(url);
  const client = await TestClient.connect(url, host.serverId);
  for (let i = 0; i < 20; i++) void client.send(Buffer.alloc(random.below(131_072)));
  if (random.next() < 0.5) await client.closed();
  await leave(client, host.control);
};

/** Control is lost and comes back within grace, or is replaced, while a pair lives on. */
export const changeOfControl: Episode = async ({ url, random }) => {
  const host = await TestHost.connect(url);
  const { client, data } = await openPair(url, host);
  if (random.next() < 0.7) host.control.terminate();
  const again = new TestHost(url, { identity: host.identity });
  await again.control.opened();
  await again.next('sync');
  await leave(client, data, host.control, again.control);
};

/** Peers that neither answer pings nor closes, and then vanish in one way or another. */
export const silence: Episode = async ({ url, random }) => {
  const host = await TestHost.connect(url);
  const raw = await openRaw(url, clientQuery(host.serverId));
  // Half a frame: what the relay keeps of it must go with it.
  void raw.raw.write(Buffer.from([0x82, 0xfe, 0x40, 0x00, 1, 2, 3, 4, 5]));
  if (random.next() < 0.5) await raw.frameOf([opcodes.close]);
  if (random.next() < 0.5) raw.raw.reset();
  else raw.raw.destroy();
  await leave(host.control);
};

/** A leg or a control connection that sends FIN without a close frame and reads on until the relay is done too. */
export const halfClose: Episode = async ({ url, random }) => {
  const host = await TestHost.connect(url);
  const client = await openRaw(url, clientQuery(host.serverId));
  const connectionId = await host.nextId('connected');
  const { identity } = host;
  const data = await openRaw(url, signedQuery({ identity, role: 'host-data', connectionId }));
  void client.send({ opcode: opcodes.binary, payload: Buffer.alloc(random.below(100_000)) });
  const [first, second] = random.next() < 0.5 ? [client, data] : [data, client];
  first.raw.halfClose();
  await second.closeFrame();
  void second.sendClose(1000);
  await Promise.all([first.raw.ended(), second.raw.ended()]);
  for (const { raw } of [first, second]) raw.destroy();
  await leave(host.control);
};

/** A pair of which one side falls silent and reads nothing more, as when its network is gone. */
export const deafness: Episode = async ({ url, random }) => {
  const host = await TestHost.connect(url);
  const client = await openRaw(url, clientQuery(host.serverId));
  const data = await host.attach(await host.nextId('connected'));
  client.raw.pause();
  for (let i = 0; i < random.below(100); i++) void data.send(Buffer.alloc(65_536));
  // The relay gives up on the silent one, and tells the other.
  const { code } = await data.closed();
  if (code !== 1012) throw new Error(`a leg whose peer fell silent was closed with ${code}`);
  if (random.next() < 0.5) client.raw.reset();
  else client.raw.destroy();
  await leave(host.control);
};

function openRaw(url: string, query: string): Promise<RawWebSocket> {
  const { hostname, port, pathname } = new URL(url);
  return RawWebSocket.open({
    host: hostname,
    port: Number(port),
    request: { target: `${pathname}?${query}` },
  });
}

/** Upgrades that are refused, for every kind of reason a stranger can give. */
export const refusals: Episode = async ({ url, random }) => {
  const identity = makeIdentity();
  const queries = [
    'v=1&role=client',
    clientQuery(identity.serverId),
    signedQuery({ identity, role: 'host-control', signedText: 'something else' }),
    signedQuery({ identity, role: 'host-data', connectionId: Buffer.alloc(16, 7).toString('base64url') }),
  ];
  const raw = await openRaw(url, random.pick(queries));
  await raw.closeFrame();
  raw.raw.destroy();
};

function end(peer: Peer, random: Random): void {
  if (random.next() < 0.5) peer.close(1000);
  else peer.terminate();
}

/** Everybody who is still there goes, and is gone when this resolves. */
async function leave(...peers: readonly Peer[]): Promise<void> {
  for (const peer of peers) {
    peer.resume();
    peer.terminate();
  }
  await Promise.all(peers.map((peer) => peer.closed()));
}
