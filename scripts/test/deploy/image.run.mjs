// The services of the Compose files in the built image, with Hosts, Clients, phones and a stand-in for Apple around them.
// Started by image.mjs in a network of its own.
import { once } from 'node:events';
import { testDaemons } from './image.daemons.mjs';
import { createTally } from './tally.mjs';

// Nobody is left to tell. All that was started goes with this process.
process.once('disconnect', () => process.exit(1));
const [setting] = await once(process, 'message');
const tally = createTally();
try {
  await testDaemons(tally, setting);
} finally {
  process.send(tally.counts(), () => process.exit(0));
}
