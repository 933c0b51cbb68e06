// Which Node.js a package is tried out with: that of whoever runs this, where the package allows it.
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { outsidePath } from '../../run/command.mjs';
import { tool } from '../../run/workspace.mjs';

/** For `engines.node` such as `>=22`: the program `node`, and a PATH that has it first. */
export function nodeFor(engines) {
  const path = outsidePath();
  const { stdout } = spawnSync('node', ['--print', 'process.version + " " + process.execPath'], {
    env: { ...process.env, PATH: path },
    encoding: 'utf8',
  });
  const [, major, node] = /^v([0-9]+)\S* (.*)$/m.exec(stdout ?? '') ?? [];
  if (Number(major) >= Number(engines.replace('>=', ''))) return { node, path };
  const ours = dirname(realpathSync(tool('node')));
  return { node: join(ours, 'node'), path: `${ours}${delimiter}${path}` };
}
