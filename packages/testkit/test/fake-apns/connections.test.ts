import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { delay, hold, startFakeApns } from '../../src/index.ts';
import { Client, start } from './client.ts';

describe('fakeApns limits streams', () => {
  it('allows one stream until the first accepted push, then a thousand', async () => {
    const apns = await start();
    const client = new Client(apns);
    expect(await client.nextLimit()).toBe(1);
    apns.scriptOnce({ status: 403, reason: 'InvalidProviderToken' });
    await client.push();
    expect(apns.sessions[0]?.isProven).toBe(false);
    const raised = client.nextLimit();
    await client.push();
    expect(await raised).toBe(1000);
    expect(apns.sessions[0]?.isProven).toBe(true);
  });

  it('starts as the options say', async () => {
    const apns = await start({ firstStreams: 3, maxConcurrentStreams: 5 });
    const client = new Client(apns);
    expect(await client.nextLimit()).toBe(3);
    const raised = client.nextLimit();
    await client.push();
    expect(await raised).toBe(5);
    expect(await new Client(await start({ maxConcurrentStreams: 0 })).nextLimit()).toBe(0);
  });

  it('announces a new limit on open connections and on new ones', async () => {
    const apns = await start();
    const client = new Client(apns);
    expect(await client.nextLimit()).toBe(1);
    const raised = client.nextLimit();
    await client.push();
    expect(await raised).toBe(1000);
    const lowered = client.nextLimit();
    apns.setMaxConcurrentStreams(2);
    expect(await lowered).toBe(2);
    const late = new Client(apns);
    expect(await late.nextLimit()).toBe(2);
    await late.push();
    await late.ping();
    expect(late.session.remoteSettings.maxConcurrentStreams).toBe(2);
  });

  it('remembers the most streams that were open at once', async () => {
    const apns = await start();
    const client = new Client(apns);
    await client.push();
    const held = hold();
    apns.scriptAll(held);
    const pushes = [client.push(), client.push(), client.push()];
    await apns.waitForRequests(4);
    expect(apns.sessions[0]).toMatchObject({ openStreams: 3, maxOpenStreams: 3, requestCount: 4 });
    held.release();
    await Promise.all(pushes);
    await client.ping();
    expect(apns.sessions[0]).toMatchObject({ openStreams: 0, maxOpenStreams: 3 });
  });

  it('counts PINGs, also those of connections that are gone', async () => {
    const apns = await start();
    const [first, second] = [new Client(apns), new Client(apns)];
    await Promise.all([once(first.session, 'connect'), once(second.session, 'connect')]);
    await first.ping();
    await second.ping();
    await second.ping();
    first.session.destroy();
    await first.closed;
    expect(apns.pings).toBe(3);
  });
});

describe('fakeApns meets connections', () => {
  it('refuses new ones and leaves old ones alone, then listens on the same port again', async () => {
    const apns = await start();
    const { url } = apns;
    const old = new Client(apns);
    await old.push();
    await apns.accept('refuse');
    const refused = new Client(apns);
    await refused.closed;
    expect(refused.errors).toEqual(['ECONNREFUSED']);
    expect((await old.push()).status).toBe(200);
    await apns.accept('open');
    expect(apns.url).toBe(url);
    expect((await new Client(apns).push()).status).toBe(200);
  });

  it('lets new ones hang without a handshake', async () => {
    const apns = await start();
    await apns.accept('hang');
    const client = new Client(apns);
    let connected = false;
    client.session.on('connect', () => (connected = true));
    await delay(200);
    expect([connected, client.errors, apns.openSessionsTotal]).toEqual([false, [], 0]);
  });

  it('resets new ones', async () => {
    const apns = await start();
    await apns.accept('reset');
    const client = new Client(apns);
    await client.closed;
    expect(client.errors).toEqual(['ECONNRESET']);
  });

  it('counts handshakes that fail', async () => {
    const apns = await start();
    const stranger = connect(apns.url);
    const [error] = (await once(stranger, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    const plain = connectTcp(apns.port, '127.0.0.1');
    plain.on('error', () => plain.destroy());
    plain.end('GET / HTTP/1.1\r\n\r\n');
    await once(plain.resume(), 'close');
    expect(apns.handshakeFaultCount).toBeGreaterThanOrEqual(1);
  });
});

describe('fakeApns shows a certificate', () => {
  it.each(['127.0.0.1', 'localhost'])('that is good for %s, over TLS 1.2 and HTTP/2', async (host) => {
    const apns = await start();
    const socket = connectTls({
      host: '127.0.0.1',
      port: apns.port,
      servername: host === 'localhost' ? host : '',
      ca: readFileSync(apns.caFile),
      ALPNProtocols: ['h2'],
      maxVersion: 'TLSv1.2',
      ...(host === 'localhost' ? {} : { checkServerIdentity: () => undefined }),
    });
    await once(socket, 'secureConnect');
    const certificate = new X509Certificate(socket.getPeerCertificate().raw);
    expect([socket.authorized, socket.alpnProtocol]).toEqual([true, 'h2']);
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect([certificate.checkIP('127.0.0.1'), certificate.checkIP('::1')]).toEqual(['127.0.0.1', '::1']);
    socket.destroy();
  });

  it('also on ::1', async () => {
    const apns = await start({ host: '::1' });
    expect(apns.url).toBe(`https://[::1]:${apns.port}`);
    expect((await new Client(apns).push()).status).toBe(200);
  });

  it('whose CA file goes when it closes', async () => {
    const apns = await startFakeApns();
    expect(readFileSync(apns.caFile, 'utf8')).toBe(apns.caPem);
    await apns.close();
    expect(existsSync(apns.caFile)).toBe(false);
  });
});

describe('fakeApns closes', () => {
  it('whatever is open', async () => {
    const apns = await startFakeApns();
    const [waiting, dark, idle] = [new Client(apns), new Client(apns), new Client(apns)];
    apns.scriptOnce({ status: 200, delayMs: 60_000 });
    const delayed = waiting.push();
    await apns.waitForRequests(1);
    apns.scriptOnce({ fault: 'black-hole' });
    const lost = dark.push();
    await apns.waitForRequests(2);
    await once(idle.session, 'connect');
    await apns.close();
    expect(apns.sessions).toEqual([]);
    expect((await delayed).status).toBeUndefined();
    expect((await lost).status).toBeUndefined();
    await Promise.all([waiting, dark, idle].map(({ closed }) => closed));
  });
});
