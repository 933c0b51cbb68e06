// Loads the keys of a file in a process of its own, and prints its serverId or the error's message.
//   node load-process.ts <file> [<step> at which the process kills itself: open, write, sync, link, unlink, sync-folder…]
import * as nodeFiles from 'node:fs/promises';
import type { Files } from '../../src/identity/key-file.ts';
import { loadHostKeys } from '../../src/identity/load-host-keys.ts';

const [file = '', killAt] = process.argv.slice(2);
let step = 0;

function reach(): void {
  if (String(step) === killAt) process.kill(process.pid, 'SIGKILL');
  step += 1;
}

/** Every operation is a step; so are the writes and syncs of what was opened. */
function counted(): Files {
  return {
    mkdir: ((...args: Parameters<typeof nodeFiles.mkdir>) => {
      reach();
      return nodeFiles.mkdir(...args);
    }) as Files['mkdir'],
    async open(...args) {
      reach();
      const handle = await nodeFiles.open(...args);
      const writeFile = handle.writeFile.bind(handle);
      const sync = handle.sync.bind(handle);
      handle.writeFile = async (data, options) => {
        reach();
        if (typeof data !== 'string') throw new TypeError('keys are written as text');
        const text = data;
        // Half of it first, because a process may die within a write.
        await writeFile(text.slice(0, text.length / 2), options);
        reach();
        await writeFile(text.slice(text.length / 2), options);
      };
      handle.sync = async () => {
        reach();
        await sync();
      };
      return handle;
    },
    link(...args) {
      reach();
      return nodeFiles.link(...args);
    },
    unlink(...args) {
      reach();
      return nodeFiles.unlink(...args);
    },
    readdir: ((folder: string) => {
      reach();
      return nodeFiles.readdir(folder);
    }) as Files['readdir'],
    stat: ((path: string) => {
      reach();
      return nodeFiles.stat(path);
    }) as Files['stat'],
  };
}

try {
  const keys = await loadHostKeys(file, counted());
  process.stdout.write(JSON.stringify({ serverId: keys.signing.serverId, steps: step }));
} catch (error) {
  process.stdout.write(JSON.stringify({ message: String(error) }));
}
