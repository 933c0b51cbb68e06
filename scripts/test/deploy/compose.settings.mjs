// What variables there are, from the tables of the programs themselves.
import { DEPLOYMENT_VARIABLES, HOST_VARIABLES } from '../../docs/other-variables.mjs';
import { readSettings } from '../../docs/read-settings.mjs';

/** Names by who reads them, and the limits of both daemons with their defaults. */
export function readComposeSettings() {
  const { relay, push } = readSettings();
  const names = (table) => table.settings.map(({ variable }) => variable);
  const limits = (table) =>
    table.settings.filter(({ option }) => option in table.limits).map(({ variable }) => variable);
  const defaults = [relay, push].flatMap((table) =>
    table.settings.map(({ variable, defaultText }) => [variable, defaultText]),
  );
  return {
    relay: names(relay),
    push: names(push),
    relayLimits: limits(relay),
    pushLimits: limits(push),
    deployment: DEPLOYMENT_VARIABLES.map(({ name }) => name),
    ofHosts: HOST_VARIABLES.map(({ name }) => name),
    defaults: new Map(defaults),
  };
}
