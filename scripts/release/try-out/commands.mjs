// The commands that came with the packages.
import { ReleaseFault } from '../release-fault.mjs';
import { runTool } from '../step.mjs';
import { nodeFor } from './node.mjs';

/** Starts each command by npx, as the READMEs do, on any Node.js that its package may be installed with. */
export async function tryCommands({ folder, packages }, version) {
  for (const { manifest } of packages) {
    const env = { ...process.env, PATH: nodeFor(manifest.engines.node).path };
    const expectOutput = (name, flag, isExpected) => {
      const { code, output } = runTool('npx', ['--no-install', name, flag], { cwd: folder, env });
      if (code !== 0 || !isExpected(output)) {
        throw new ReleaseFault(`${name} ${flag}: exit code ${code}, got ${output}`);
      }
    };
    for (const name of Object.keys(manifest.bin ?? {})) {
      expectOutput(name, '--version', (output) => output === `${version}\n`);
      expectOutput(name, '--help', (output) => output.startsWith(`Usage: ${name} `));
    }
  }
}
