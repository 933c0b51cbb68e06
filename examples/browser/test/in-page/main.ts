// A page that gives tests the Client as a browser loads it, and what they would write again and again.
import { createRelayClient, type RelayClient } from '@openchambery/client';
import { parsePairingLink } from '@openchambery/tunnel';
import type { Harness } from './harness.ts';

let client: RelayClient | undefined;

const harness: Harness = {
  get client() {
    if (client === undefined) throw new Error('connect first');
    return client;
  },
  connect: async (link) => {
    const facts = parsePairingLink(link);
    if ('fault' in facts) throw new Error(facts.message);
    client = createRelayClient(facts);
    await client.connect();
  },
  openSocket: async (path, protocols = []) => {
    const socket = new harness.client.WebSocket(path, protocols);
    const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve));
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('close', () => reject(new Error('closed before it was open')));
    });
    return { socket, closed };
  },
  nextMessage: (socket) =>
    new Promise((resolve) => socket.addEventListener('message', ({ data }) => resolve(data), { once: true })),
  sha256: async (data) => {
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', data));
    return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  },
};
globalThis.harness = harness;
