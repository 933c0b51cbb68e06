import { patternPiece } from '@openchambery/testkit';
import { expect, test } from 'vitest';
import { expectAlive, makeWorld } from './world.ts';

test('many Clients are served side by side, each with its own id, and nothing of them is left', async () => {
  const { connect, host, origin, relay } = await makeWorld();
  const clients = await Promise.all(Array.from({ length: 12 }, () => connect()));
  const answers = await Promise.all(
    clients.map((client, index) => client.request({ path: `/bytes/${100_000 + index}` })),
  );
  for (const [index, { body }] of answers.entries()) {
    expect(body.equals(patternPiece(0, 100_000 + index))).toBe(true);
  }
  const ids = origin.requests.map(({ headers }) => headers['x-openchamber-relay-connection']);
  expect(new Set(ids).size).toBe(clients.length);
  expect(host.snapshot()).toMatchObject({ connections: clients.length, openStreams: 0 });
  const [stays, ...leave] = clients;
  if (stays === undefined) throw new Error('there are some');
  for (const client of leave) client.peer.terminate();
  await expect.poll(() => host.snapshot().connections).toBe(1);
  await expectAlive(stays);
  stays.close();
  await expect.poll(() => host.snapshot().connections).toBe(0);
  expect(host.status.state).toBe('connected');
  await expect.poll(() => relay.snapshot().connections).toBe(0);
});

test('a Client that comes back is another connection', async () => {
  const { connect, origin } = await makeWorld();
  const first = await connect();
  await expectAlive(first);
  first.peer.terminate();
  await expectAlive(await connect());
  const [before, after] = origin.requests.map(({ headers }) => headers['x-openchamber-relay-connection']);
  expect(before).toBeDefined();
  expect(after).not.toBe(before);
});

test('disconnect ends one Client, and the others stay', async () => {
  const { connect, host, origin, closeCode } = await makeWorld();
  const [revoked, other] = [await connect(), await connect()];
  await expectAlive(revoked);
  const connectionId = String(origin.requests[0]?.headers['x-openchamber-relay-connection']);
  host.disconnect(connectionId, 'revoked');
  await closeCode();
  await revoked.closed();
  await expectAlive(other);
});

test('stop closes what is open, and the relay knows the Host no more', async () => {
  const { connect, host } = await makeWorld();
  const client = await connect();
  const id = client.ask({ path: '/slow' });
  await host.stop();
  await client.closed();
  await expect(client.answerTo(id)).rejects.toThrow('closed');
  expect(host.status.state).toBe('stopped');
});
