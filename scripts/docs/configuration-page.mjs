// Writes docs/configuration.md from the tables.
import { DEPLOYMENT_VARIABLES, HOST_VARIABLES } from './other-variables.mjs';
import { tunnelVariables } from './read-settings.mjs';

const INTRODUCTION = `# Configuration

<!-- Written by scripts/docs/write.mjs from the tables in the code. Do not edit: run "npm run docs". -->

Everything has a default but the key of the push relay. \`npx openchamber-relay --help\` and
\`npx openchamber-push-relay --help\` print the same tables, \`npx openchamber-tunnel --help\` those of the tunnel.

- A flag goes before its variable, and a variable before the default. A blank variable counts as unset.
- Booleans are \`true\`, \`1\`, \`false\` or \`0\`. Limits are whole decimal numbers.
- Only the value in force is checked. A bad one stops the start with exit code 1 and one line that says what is allowed:

  \`\`\`text
  Invalid OPENCHAMBER_RELAY_SERVER_PORT: expected an integer from 1 to 65535, got "0"
  \`\`\`

- A variable with the prefix of a command and an unknown name is most likely a typo. It gets a warning in the log.
- Nothing is read again while a command runs: restart it.

Which limits belong together, and how far to raise them, is in [operations](operations.md#limits-to-raise-together).
What happens to a peer that meets one is in [errors](errors.md).
`;

const COMBINED = `In combined mode (any variable \`OPENCHAMBER_PUSH_RELAY_APNS_…\` given to \`openchamber-relay\`) \`HOST\` and \`PORT\` of the
push relay have no effect, and \`TRUST_PROXY\` and \`LOG_LEVEL\` are the relay's unless they are set. The flags above are
then those of the relay.
`;

/** The whole page; `settings` as read-settings.mjs gives them. */
export function formatConfigurationPage({ switches, relay, push, tunnel }) {
  return [
    INTRODUCTION,
    ...commandSection('openchamber-relay', relay, switches),
    'Beside these, `REPLAY_MS` has to be at least twice `TIMESTAMP_SKEW_MS`, and `MAX_PENDING_CLIENTS` and',
    '`MAX_CLIENTS_PER_HOST` at most `MAX_CONNECTIONS`.',
    '',
    ...commandSection('openchamber-push-relay', push, switches),
    'Beside these, `REPLAY_MS` has to be at least twice `TIMESTAMP_SKEW_MS`.',
    '',
    COMBINED,
    ...tunnelSection(tunnel),
    '## Variables of the Compose files',
    '',
    'The Compose files pass on every limit above and most of the rest, and read these themselves. See',
    '[Compose](deploy/compose.md).',
    '',
    ...table(
      ['variable', 'default', 'meaning'],
      DEPLOYMENT_VARIABLES.map(({ name, needed, meaning }) => [code(name), needed, meaning]),
    ),
    '',
    '## Variables of Hosts',
    '',
    'A relay ignores them; they are here because they have to fit to it.',
    '',
    ...table(
      ['variable', 'meaning'],
      HOST_VARIABLES.map(({ name, meaning }) => [code(name), meaning]),
    ),
    '',
  ].join('\n');
}

function commandSection(command, { prefix, settings, limits }, switches) {
  const isLimit = ({ option }) => Object.hasOwn(limits, option);
  const plain = settings.filter((setting) => !isLimit(setting));
  const short = shorten(prefix, settings);
  return [
    `## ${command}`,
    '',
    `Every variable begins with \`${prefix}\`: the first one is \`${settings[0].variable}\`.`,
    '',
    ...table(
      ['variable', 'flag', 'default', 'meaning'],
      plain.map((setting) => [
        code(setting.variable.slice(prefix.length)),
        flagsOf(setting),
        defaultOf(setting.defaultText),
        short(setting.meaning),
      ]),
    ),
    '',
    'Flags without a variable:',
    '',
    ...table(['flag', 'meaning'], switches.map(switchRow)),
    '',
    `### Limits of ${command}`,
    '',
    ...table(
      ['variable', 'default', 'unit', 'most', 'meaning'],
      settings.filter(isLimit).map((setting) => {
        const { max } = limits[setting.option];
        const variable = code(setting.variable.slice(prefix.length));
        return [variable, setting.defaultText, setting.unit, String(max), short(setting.meaning)];
      }),
    ),
    '',
  ];
}

function tunnelSection(tunnel) {
  return [
    '## openchamber-tunnel',
    '',
    'What each command does is in [the command](tunnel/command.md).',
    '',
    ...table(
      ['variable', 'read by', 'meaning'],
      tunnelVariables(tunnel).map(({ variable, commands, meaning }) => [
        code(variable),
        commands.map(code).join(', '),
        meaning,
      ]),
    ),
    '',
    'Flags that every command has:',
    '',
    ...table(['flag', 'meaning'], tunnel.switches.map(switchRow)),
    '',
    ...tunnel.commands.flatMap(tunnelCommand),
  ];
}

function tunnelCommand({ name, usage, options }) {
  const rows = options.map(({ flag, argument, defaultText = '', meaning }) => [
    code(argument === undefined ? flag : `${flag} ${argument}`),
    defaultText,
    meaning,
  ]);
  const call = `openchamber-tunnel ${name} ${usage}`.trimEnd();
  return [`Flags of \`${call}\`:`, '', ...table(['flag', 'default', 'meaning'], rows), ''];
}

function switchRow({ flag, short, meaning }) {
  const spellings = [flag, short].filter((each) => each !== undefined);
  return [spellings.map(code).join(', '), meaning];
}

function flagsOf({ flag, argument }) {
  if (flag === undefined) return '';
  return argument === undefined
    ? `${code(flag)}, ${code(flag.replace('--', '--no-'))}`
    : code(`${flag} ${argument}`);
}

function defaultOf(text) {
  return ['unset', 'required'].includes(text) ? text : code(text);
}

/** The tables speak of `maxConnections` and of whole names of variables; here both are `MAX_CONNECTIONS`. */
function shorten(prefix, settings) {
  const names = settings.map(({ option, variable }) => [option, variable.slice(prefix.length)]);
  const camelCase = names.filter(([option]) => /[A-Z]/.test(option));
  return (text) => {
    const named = camelCase.reduce(
      (known, [option, name]) => known.replaceAll(new RegExp(`\\b${option}\\b`, 'g'), code(name)),
      text,
    );
    return named.replaceAll(new RegExp(`${prefix}([A-Z0-9_]+)`, 'g'), (_whole, name) => code(name));
  };
}

function code(text) {
  return `\`${text}\``;
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)];
}
