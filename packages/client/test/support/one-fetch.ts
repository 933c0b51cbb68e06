// A program that fetches once, closes its Client when it is told to, and has nothing else to live for.

import type { RelayClientOptions } from '../../src/index.ts';
import { createRelayClient } from '../../src/index.ts';

const client = createRelayClient(JSON.parse(process.argv[2] ?? '') as RelayClientOptions);
const response = await client.fetch('/mirror');
await response.text();
console.log(response.status);
process.stdin.once('data', () => {
  client.close();
  process.stdin.destroy();
});
