import { clientQuery, makeIdentity, RawWebSocket } from '@openchambery/testkit';
import type { PeerOptions, RelayProcess } from '@openchambery/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownRelay, roomy, useRelay } from './support/relay.ts';
import { connectHost, connectPending, refusal } from './support/sockets.ts';

// Layer 1 §4, "Client IP": whom an upgrade is counted for.
// With one Client a window per IP, a second upgrade tells whether it came from the same Client IP.

const limits = { ...roomy, MAX_ADMISSIONS_PER_IP: 1, ADMISSION_WINDOW_MS: 600_000 };
const query = clientQuery(makeIdentity().serverId);

type Source = PeerOptions & { readonly forwarded?: string };

async function isAdmitted(relay: RelayProcess, source: Source): Promise<boolean> {
  const { forwarded, ...options } = source;
  const headers = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded };
  const { code } = await refusal(relay, query, { ...options, headers });
  expect([4008, 4029]).toContain(code);
  return code === 4008;
}

/** Whether the relay takes both for one Client IP; `first` must not have been used before. */
async function areSame(relay: RelayProcess, first: Source, second: Source): Promise<boolean> {
  expect(await isAdmitted(relay, first), 'the first address has been used before').toBe(true);
  return !(await isAdmitted(relay, second));
}

describe('with trust-proxy off', () => {
  const relay = useRelay({ limits });

  it('the TCP peer counts, and X-Forwarded-For does not', async () => {
    const first = { localAddress: '127.1.0.1', forwarded: '198.51.100.1' };
    const second = { localAddress: '127.1.0.1', forwarded: '198.51.100.2' };
    expect(await areSame(relay, first, second)).toBe(true);
  });

  it('two TCP peers are two', async () => {
    const forwarded = '198.51.100.3';
    const first = { localAddress: '127.1.0.2', forwarded };
    expect(await areSame(relay, first, { localAddress: '127.1.0.3', forwarded })).toBe(false);
  });
});

describe('with trust-proxy on', () => {
  const relay = useRelay({ limits: { ...limits, TRUST_PROXY: 'true' } });

  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['198.51.100.2', ' 198.51.100.2 '],
    ['198.51.100.3', '::ffff:198.51.100.3'],
    ['198.51.100.4', '::ffff:c633:6404'],
    ['::FFFF:198.51.100.5', '198.51.100.5'],
    ['0:0:0:0:0:ffff:c633:6406', '198.51.100.6'],
    ['2001:db8:1:1::1', '2001:db8:1:1:ffff:ffff:ffff:ffff'],
    ['2001:db8:1:2::1', '2001:0DB8:0001:0002::2'],
    ['2001:db8:2::1', '2001:db8:2:0:1::'],
  ])('%s and %s are one Client IP', async (first, second) => {
    expect(await areSame(relay, { forwarded: first }, { forwarded: second })).toBe(true);
  });

  it.each([
    ['203.0.113.1', '203.0.113.2'],
    ['2001:db8:3:1::1', '2001:db8:3:2::1'],
    ['2001:db8:4:ff00::', '2001:db8:4:ff01::'],
    // Not IPv4-mapped: an address whose low half looks like one.
    ['2001:db8:5::ffff:203.0.113.3', '203.0.113.3'],
  ])('%s and %s are two Client IPs', async (first, second) => {
    expect(await areSame(relay, { forwarded: first }, { forwarded: second })).toBe(false);
  });

  it.each([
    ['two addresses', '203.0.113.10, 203.0.113.11'],
    ['no address', ''],
    ['a word', 'unknown'],
    ['an address with a port', '203.0.113.12:4711'],
    ['an IPv6 address in brackets', '[2001:db8:6::1]'],
    ['an address out of range', '203.0.113.256'],
    ['three numbers', '203.0.113'],
    ['one number', '3405803776'],
    ['hexadecimal', '0xcb007101'],
    ['a network', '203.0.113.0/24'],
    ['something after the address', '203.0.113.13 evil'],
    ['a quoted address', '"203.0.113.14"'],
  ])('a header of %s leaves the TCP peer', async (_name, forwarded) => {
    peers += 1;
    const localAddress = `127.2.0.${peers}`;
    expect(await areSame(relay, { localAddress, forwarded }, { localAddress })).toBe(true);
  });
  let peers = 0;

  it('the header given twice leaves the TCP peer', async () => {
    const localAddress = '127.3.0.1';
    const { host, port } = relay;
    const target = `${relay.path}?${query}`;
    const headers = { 'X-Forwarded-For': '203.0.113.20\r\nX-Forwarded-For: 203.0.113.21' };
    const socket = await RawWebSocket.open({ host, port, localAddress, request: { target, headers } });
    onTestFinished(() => socket.raw.destroy());
    expect((await socket.closeFrame()).code).toBe(4008);
    expect(await isAdmitted(relay, { localAddress })).toBe(false);
    expect(await isAdmitted(relay, { forwarded: '203.0.113.20' })).toBe(true);
    expect(await isAdmitted(relay, { forwarded: '203.0.113.21' })).toBe(true);
  });

  it('no header leaves the TCP peer', async () => {
    const first = { localAddress: '127.3.0.2' };
    expect(await areSame(relay, first, { localAddress: '127.3.0.2' })).toBe(true);
    expect(await isAdmitted(relay, { localAddress: '127.3.0.3' })).toBe(true);
  });
});

describe('a dual-stack listener', () => {
  it('counts an IPv4 peer as IPv4', async () => {
    const listening = await ownRelay({ host: '::', limits, args: ['--trust-proxy'] });
    const relay = { ...listening, url: `ws://127.0.0.1:${listening.port}${listening.path}` };
    const first = { localAddress: '127.4.0.1' };
    expect(await areSame(relay, first, { localAddress: '127.4.0.2', forwarded: '127.4.0.1' })).toBe(true);
  });
});

describe('MAX_CLIENTS_PER_IP', () => {
  it('counts the normalised Client IP too', async () => {
    const relay = await ownRelay({ limits: { ...roomy, MAX_CLIENTS_PER_IP: 2 }, args: ['--trust-proxy'] });
    const host = await connectHost(relay);
    const from = (ip: string): PeerOptions => ({ headers: { 'X-Forwarded-For': ip } });
    await connectPending(relay, host, from('2001:db8:7:7::1'));
    await connectPending(relay, host, from('2001:db8:7:7::2'));
    expect((await refusal(relay, clientQuery(host.serverId), from('2001:db8:7:7::3'))).code).toBe(4029);
    await connectPending(relay, host, from('2001:db8:7:8::3'));
  });
});
