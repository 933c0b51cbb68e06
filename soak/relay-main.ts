// The relay under soak: a process of its own that answers each line on stdin with what it holds.
import { createInterface } from 'node:readline';
import { createRelayServer } from '@openchambery/relay';

const relay = createRelayServer({
  port: 0,
  limits: {
    // Short, so that every deadline passes many times in a short soak.
    heartbeatMs: 1500,
    stallMs: 2000,
    graceMs: 1500,
    pendingMs: 1500,
    closeDeadlineMs: 1000,
    // Everybody comes from one address here.
    maxHosts: 300,
    maxClientsPerIp: 400,
    maxClientsPerHost: 200,
    maxPendingClients: 400,
    maxRawSocketsPerIp: 2000,
    maxAdmissionsPerIp: 1_000_000,
    maxHostControlAdmissionsPerIp: 1_000_000,
    maxHostControlAdmissionsPerServer: 1_000_000,
    // Full long before memory is judged: a table that fills up to its bound is no leak.
    maxReplayEntries: 1000,
    maxAdmissionEntries: 1000,
    // Small enough that stalled pairs meet the bound of the whole relay.
    maxGlobalQueuedBytes: 8_388_608,
  },
});
await relay.start();
const { port } = relay.address();
console.log(JSON.stringify({ port }));
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'gc') globalThis.gc?.();
  console.log(JSON.stringify(relay.snapshot()));
}
await relay.close();
