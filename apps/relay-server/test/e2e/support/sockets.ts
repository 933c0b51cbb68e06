import { openPair, Peer, RawSocket, RawWebSocket, TestClient, TestHost } from '@openchambery/testkit';
import type {
  CloseInfo,
  HostOptions,
  PeerOptions,
  QueryOverrides,
  RelayProcess,
  TestPair,
  UpgradeRequest,
} from '@openchambery/testkit';
import { expect, onTestFinished } from 'vitest';

/** A Host whose control is still connecting, and which nobody has listened to; lives as long as the current test. */
export function newHost(relay: RelayProcess, options: HostOptions = {}): TestHost {
  const host = new TestHost(relay.url, options);
  onTestFinished(() => host.control.terminate());
  return host;
}

/** A Host that lives as long as the current test. */
export async function connectHost(relay: RelayProcess, options: HostOptions = {}): Promise<TestHost> {
  const host = await TestHost.connect(relay.url, options);
  onTestFinished(() => host.control.terminate());
  return host;
}

/** A Client that lives as long as the current test. */
export async function connectClient(
  relay: RelayProcess,
  serverId: string,
  options: PeerOptions & { readonly overrides?: QueryOverrides } = {},
): Promise<TestClient> {
  const client = await TestClient.connect(relay.url, serverId, options);
  onTestFinished(() => client.terminate());
  return client;
}

/** A Client that `host` was told of, and its connectionId. */
export async function connectPending(
  relay: RelayProcess,
  host: TestHost,
  options: PeerOptions = {},
): Promise<{ readonly client: TestClient; readonly connectionId: string }> {
  const client = await connectClient(relay, host.serverId, options);
  return { client, connectionId: await host.nextId('connected') };
}

/** A data socket that lives as long as the current test. */
export async function attachData(
  host: TestHost,
  connectionId: string,
  options: PeerOptions = {},
): Promise<Peer> {
  const data = await host.attach(connectionId, {}, options);
  onTestFinished(() => data.terminate());
  return data;
}

/** A ready pair that lives as long as the current test. */
export async function connectPair(
  relay: RelayProcess,
  host: TestHost,
  options: PeerOptions = {},
): Promise<TestPair> {
  const pair = await openPair(relay.url, host, options);
  onTestFinished(() => {
    pair.client.terminate();
    pair.data.terminate();
  });
  return pair;
}

/** A TCP connection that lives as long as the current test. */
export async function connectRaw(relay: RelayProcess, localAddress?: string): Promise<RawSocket> {
  const { host, port } = relay;
  const raw = await RawSocket.connect({ host, port, localAddress });
  onTestFinished(() => raw.destroy());
  return raw;
}

/** A raw WebSocket on the relay's path that lives as long as the current test. */
export async function upgradeRaw(
  relay: RelayProcess,
  query: string,
  options: Omit<UpgradeRequest, 'target'> & { readonly localAddress?: string } = {},
): Promise<RawWebSocket> {
  const { host, port, path } = relay;
  const { localAddress, ...request } = options;
  const target = `${path}?${query}`;
  const socket = await RawWebSocket.open({ host, port, localAddress, request: { target, ...request } });
  onTestFinished(() => socket.raw.destroy());
  return socket;
}

/** How the relay ends an upgrade with this query. */
export function refusal(relay: RelayProcess, query: string, options: PeerOptions = {}): Promise<CloseInfo> {
  return refusalAt(`${relay.url}?${query}`, options);
}

/** How the relay ends an upgrade at this URL. */
export async function refusalAt(url: string, options: PeerOptions = {}): Promise<CloseInfo> {
  const peer = new Peer('upgrade', url, options);
  onTestFinished(() => peer.terminate());
  await peer.opened();
  const info = await peer.closed();
  expectReason(info);
  return info;
}

/** Waits for `peer` to be closed with `code` and a reason; gives back the reason. */
export async function expectClosed(peer: Peer, code: number, timeoutMs?: number): Promise<string> {
  const info = await peer.closed(timeoutMs);
  expect(info.code, `closed with reason "${info.reason}"`).toBe(code);
  expectReason(info);
  return info.reason;
}

/** Waits for a close frame with `code` and a reason on a raw WebSocket; gives back the reason. */
export async function expectCloseFrame(
  socket: RawWebSocket,
  code: number,
  timeoutMs?: number,
): Promise<string> {
  const info = await socket.closeFrame(timeoutMs);
  expect(info.code, `close frame with reason "${info.reason}"`).toBe(code);
  expectReason(info);
  return info.reason;
}

/** Layer 1 §3: every close carries a short reason; RFC 6455 §5.5 leaves 123 bytes for it. */
export function expectReason({ code, reason }: CloseInfo): void {
  expect(reason, `close ${code} must say why`).not.toBe('');
  expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123);
}

/** The control socket works: a Client that comes is announced, and so is its going. */
export async function expectLive(
  relay: RelayProcess,
  host: TestHost,
  options: PeerOptions = {},
): Promise<void> {
  const { client, connectionId } = await connectPending(relay, host, options);
  client.close();
  expect(await host.nextId('disconnected')).toBe(connectionId);
}

/** The pair works: a message goes through in both directions. */
export async function expectFlows({ client, data }: Pick<TestPair, 'client' | 'data'>): Promise<void> {
  const mark = `mark ${marks++}`;
  await client.send(`${mark} up`);
  expect(await data.text()).toBe(`${mark} up`);
  await data.send(`${mark} down`);
  expect(await client.text()).toBe(`${mark} down`);
}

let marks = 0;
