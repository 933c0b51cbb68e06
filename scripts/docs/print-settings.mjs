// Prints everything that can be set, as JSON, from the tables that the commands themselves use. Those are TypeScript:
//   node --conditions=@openchambery/source scripts/docs/print-settings.mjs
import { SWITCHES } from '../../apps/relay-server/src/config/settings.ts';
import { PUSH_SETTINGS } from '../../apps/relay-server/src/push/settings.ts';
import { RELAY_SETTINGS } from '../../apps/relay-server/src/relay/settings.ts';
import { SWITCHES as TUNNEL_SWITCHES } from '../../apps/tunnel/src/cli/command-spec.ts';
import { COMMANDS } from '../../apps/tunnel/src/cli/commands.ts';
import { PUSH_LIMITS } from '../../packages/push/src/options/limit-table.ts';
import { RELAY_LIMITS } from '../../packages/relay/src/limit-table.ts';

const relay = { ...RELAY_SETTINGS, limits: RELAY_LIMITS };
const push = { ...PUSH_SETTINGS, limits: PUSH_LIMITS };
const tunnel = { commands: Object.values(COMMANDS), switches: TUNNEL_SWITCHES };
process.stdout.write(`${JSON.stringify({ switches: SWITCHES, relay, push, tunnel })}\n`);
