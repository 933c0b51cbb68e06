// Runs one stage and tells its parent the result: run-stage.mjs NAME
import process from 'node:process';
import { rounds } from './stages.mjs';

// The parent has gone: as if somebody had ended this stage, so that it can tidy up.
const onDisconnect = () => process.kill(process.pid, 'SIGTERM');
process.once('disconnect', onDisconnect);
const stage = rounds.flat(2).find(({ name }) => name === process.argv[2]);
const result = await stage.run();
process.off('disconnect', onDisconnect);
process.send(result, () => process.exit(0));
