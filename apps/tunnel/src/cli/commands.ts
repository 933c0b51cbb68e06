import type { CommandSpec, OptionSpec } from './command-spec.ts';

/** Where state is kept. */
export const STATE_VARIABLE = 'OPENCHAMBER_TUNNEL_STATE';
/** A pairing link, where the list of processes must not show it. */
export const LINK_VARIABLE = 'OPENCHAMBER_TUNNEL_LINK';
/** The relay to use. */
export const RELAY_VARIABLE = 'OPENCHAMBER_RELAY_URL';
/** What our own variables start with; others with it are typing errors. */
export const VARIABLE_PREFIX = 'OPENCHAMBER_TUNNEL_';

const RELAY: OptionSpec = {
  flag: '--relay',
  argument: '<url>',
  variable: RELAY_VARIABLE,
  meaning: 'the relay, a ws:// or wss:// URL',
};
const NAME: OptionSpec = {
  flag: '--name',
  argument: '<name>',
  defaultText: 'default',
  meaning: 'which exposure; each has keys and pairings of its own, and runs once at a time',
};
const STATE: OptionSpec = {
  flag: '--state',
  argument: '<folder>',
  variable: STATE_VARIABLE,
  defaultText: 'openchamber-tunnel in $XDG_CONFIG_HOME or ~/.config',
  meaning: 'where keys and pairings are kept',
};
const PAGE: OptionSpec = {
  flag: '--page',
  argument: '<url>',
  defaultText: 'openchamber://pair',
  meaning: 'what opens the link: a page or an app; the pairing stands behind its #',
};
const QR: OptionSpec = { flag: '--qr', meaning: 'print the QR code even where stdout is no terminal' };

const LINK_NOTE =
  'A pairing link is a password: whoever has it reaches the origin. An argument can be seen in the list of ' +
  `processes; write - as LINK to have it read from stdin, or leave LINK out and set ${LINK_VARIABLE}.`;
const LINK_OPERAND = { variable: LINK_VARIABLE, meaning: 'the pairing link, in place of LINK' };

/** Every command, by the word that calls it. */
export const COMMANDS: Readonly<Record<CommandName, CommandSpec>> = {
  expose: {
    name: 'expose',
    usage: 'ORIGIN',
    // Besides the origin, paths may follow --allow.
    maxOperands: 100,
    summary: 'let paired devices reach a web program on this machine',
    options: [
      RELAY,
      {
        flag: '--allow',
        argument: '<path>',
        isList: true,
        defaultText: 'everything',
        meaning: 'a path that may be reached, with all below it; may be given several times',
      },
      NAME,
      {
        flag: '--label',
        argument: '<label>',
        defaultText: 'the newest pairing',
        meaning: 'the pairing whose link is shown; made if there is none of that label',
      },
      PAGE,
      {
        flag: '--no-secret',
        meaning: 'let in whoever knows the link without its secret, for origins with a login',
      },
      QR,
      {
        flag: '--no-link',
        meaning: 'show no link and make no pairing, for logs that others may read; pair makes links then',
      },
      STATE,
    ],
    notes: [
      'ORIGIN is a port (3000) or a URL on a loopback address (http://127.0.0.1:3000). The command runs until it is ' +
        'stopped. The first start makes the keys of this exposure and a pairing; later ones show the same link again.',
      'A request without the secret of a pairing, or with that of a revoked one, is answered 401 and never reaches ' +
        'the origin; nor does the secret. pair makes further pairings, pairs lists them, revoke ends them at once.',
      'With --json: a line {"status":"ok","link":...}, then a line {"event":"status",...} for each change.',
    ],
    examples: [
      'expose 3000 --relay wss://relay.example.org/ws',
      'expose http://127.0.0.1:3000 --allow /api --allow /app',
    ],
  },
  pair: {
    name: 'pair',
    usage: '[LABEL]',
    maxOperands: 1,
    summary: 'make another pairing, for another device or person',
    options: [NAME, RELAY, PAGE, QR, STATE],
    notes: [
      'Prints the link of a new pairing. A running expose takes notice by itself. LABEL tells pairings apart; left ' +
        'out, it is device-1 and so on. The relay and page are those of the last expose unless they are given.',
    ],
    examples: ['pair phone'],
  },
  pairs: {
    name: 'pairs',
    usage: '',
    maxOperands: 0,
    summary: 'list the pairings: id, label, made, last used',
    options: [NAME, STATE],
    notes: [],
    examples: ['pairs --json'],
  },
  revoke: {
    name: 'revoke',
    usage: 'ID|LABEL...',
    maxOperands: 100,
    summary: 'end pairings; their connections end with them, within 2 s',
    options: [{ flag: '--all', meaning: 'every pairing of this exposure' }, NAME, STATE],
    notes: [],
    examples: ['revoke phone', 'revoke --all'],
  },
  connect: {
    name: 'connect',
    usage: 'LINK',
    maxOperands: 1,
    summary: 'a local port that is the remote origin: HTTP, event streams, WebSocket',
    options: [
      {
        flag: '--listen',
        argument: '<address>',
        defaultText: '127.0.0.1:8080',
        meaning: 'where to listen: a port, or address:port; port 0 takes a free one',
      },
    ],
    variables: [LINK_OPERAND],
    notes: [
      LINK_NOTE,
      'The port is open to every program of this machine, browsers among them. So a request must name the address ' +
        'listened on, localhost, 127.0.0.1 or [::1] as its Host, or it is answered 421 (a web page that rebinds its ' +
        'name in DNS would come with its own name). Web pages of other sites may link to the port, but what else they ' +
        'send is answered 403, as is a WebSocket of any page but those of this very port.',
      'When the tunnel is down, requests are answered 502, 503 or 504 with {"error","message"} as JSON. When it goes ' +
        'down in the middle of an answer, the connection is cut, so that nobody takes half an answer for a whole one.',
      'With --json: a line {"status":"ok","url":...}, then a line {"event":"status",...} for each change.',
    ],
    examples: ['connect LINK --listen 9000', 'connect - < link.txt'],
  },
  get: {
    name: 'get',
    usage: 'LINK PATH',
    maxOperands: 2,
    summary: 'one request through the tunnel, for scripts',
    options: [
      {
        flag: '--output',
        argument: '<file>',
        defaultText: 'stdout',
        meaning: 'where the body goes; the file appears when it is whole',
      },
      {
        flag: '--method',
        argument: '<method>',
        defaultText: 'GET, or POST with --data',
        meaning: 'the method',
      },
      {
        flag: '--header',
        argument: '<line>',
        isList: true,
        meaning: "a header, 'name: value'; may be given several times",
      },
      { flag: '--data', argument: '<data>', meaning: 'the body: text, @file, or - for stdin' },
    ],
    variables: [LINK_OPERAND],
    notes: [
      LINK_NOTE,
      'Redirects are not followed. Exit codes: 0 for an answer below 400; 22 for 400 and above, whose body is printed ' +
        'all the same; 1 when there was no tunnel within 15 s, no answer or not all of it. --json reports {"status":"ok","httpStatus":...} ' +
        'and needs --output, as stdout carries the body otherwise.',
    ],
    examples: ['get LINK /status', 'get LINK /upload --data @photo.jpg --header "content-type: image/jpeg"'],
  },
};

/** The word that calls a command. */
export type CommandName = 'expose' | 'connect' | 'get' | 'pair' | 'pairs' | 'revoke';

/** All of them, in the order of the help. */
export const COMMAND_NAMES: readonly CommandName[] = ['expose', 'connect', 'get', 'pair', 'pairs', 'revoke'];

/** A command by its word. */
export function findCommand(word: string): CommandSpec | undefined {
  const name = COMMAND_NAMES.find((each) => each === word);
  return name && COMMANDS[name];
}
