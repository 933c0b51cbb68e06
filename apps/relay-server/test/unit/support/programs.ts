import { createRelayProgram } from '../../../src/relay/program.ts';

export { pushProgram } from '../../../src/push/program.ts';

/** The relay's program; its worker is never started here. */
export const relayProgram = createRelayProgram(new URL('../../../src/push-worker.ts', import.meta.url));
