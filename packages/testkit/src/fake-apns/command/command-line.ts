import { Command, CommanderError, InvalidArgumentError } from 'commander';

/** What the command was asked to do. */
export interface CommandOptions {
  /** @default a free one */
  readonly productionPort?: number;
  /** @default a free one */
  readonly sandboxPort?: number;
  /** @default a temporary one, removed at the end */
  readonly folder?: string;
  readonly showPayload?: true;
  readonly json?: true;
}

/** A command line, understood or not; texts end with a line break. */
export type CommandLine =
  | { readonly kind: 'run'; readonly options: CommandOptions }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'fault'; readonly text: string };

/** Takes `argv` (without node and script) apart. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  let text = '';
  const take = (part: string): void => {
    text += part;
  };
  const command = createCommand().configureOutput({ writeOut: take, writeErr: take });
  try {
    command.parse([...argv], { from: 'user' });
    return { kind: 'run', options: command.opts<CommandOptions>() };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? { kind: 'help', text } : { kind: 'fault', text: `fake-apns: ${text}` };
  }
}

function createCommand(): Command {
  return new Command('npm run fake-apns --')
    .description(
      'Plays both of Apple’s push services on 127.0.0.1, so that openchamber-push-relay can be tried without Apple.',
    )
    .option('--production-port <port>', 'port of the production service (default: a free one)', parsePort)
    .option('--sandbox-port <port>', 'port of the sandbox service (default: a free one)', parsePort)
    .option(
      '--folder <path>',
      'where the CA file and the provider key go (default: a temporary folder, removed at the end)',
    )
    .option('--show-payload', 'show the payload of each push as well')
    .option('--json', 'print one line of JSON in place of the export lines')
    .helpOption('-h, --help', 'show this help')
    .addHelpText(
      'after',
      [
        '',
        'The variables for openchamber-push-relay go to stdout, one line for each push goes to stderr.',
        'Every provider token, header and payload is checked as Apple does it; Ctrl-C ends it.',
      ].join('\n'),
    )
    .allowExcessArguments(false)
    .showSuggestionAfterError(false)
    .exitOverride();
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new InvalidArgumentError('Expected a port from 1 to 65535.');
  return port;
}
