// What can be set, for scripts that run on any Node.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { tool } from '../run/workspace.mjs';
import { DEPLOYMENT_VARIABLES, HOST_VARIABLES } from './other-variables.mjs';

/** The tables of all commands: `{ switches, relay, push, tunnel }`, as print-settings.mjs has them. */
export function readSettings() {
  const program = fileURLToPath(new URL('./print-settings.mjs', import.meta.url));
  const output = execFileSync(tool('node'), ['--conditions=@openchambery/source', program]);
  return JSON.parse(output.toString());
}

/** Every variable that an operator can meet, by its full name. */
export function variableNames({ relay, push, tunnel }) {
  const ofCommands = [relay, push].flatMap((table) => [
    ...table.settings.map(({ variable }) => variable),
    ...table.foreignVariables,
  ]);
  const others = [...DEPLOYMENT_VARIABLES, ...HOST_VARIABLES].map(({ name }) => name);
  return new Set([...ofCommands, ...tunnelVariables(tunnel).map(({ variable }) => variable), ...others]);
}

/** What openchamber-tunnel reads, each once: `{ variable, meaning, commands }`. */
export function tunnelVariables({ commands }) {
  const found = new Map();
  for (const { name, options, variables = [] } of commands) {
    for (const { variable, meaning } of [...options, ...variables]) {
      if (variable === undefined) continue;
      const known = found.get(variable) ?? { variable, meaning, commands: [] };
      found.set(variable, { ...known, commands: [...known.commands, name] });
    }
  }
  return [...found.values()];
}
