/** One flag of a command. */
export interface OptionSpec {
  /** The long flag: `--relay`. */
  readonly flag: string;
  /** The placeholder of its value; a flag without one takes no value. */
  readonly argument?: string;
  /** Whether it may be given several times. */
  readonly isList?: boolean;
  /** The environment variable that stands in for it. */
  readonly variable?: string;
  /** What is in force when nobody says anything, as text for people. */
  readonly defaultText?: string;
  readonly meaning: string;
}

/** A flag that every command has. */
export interface Switch {
  readonly name: 'json' | 'quiet' | 'help' | 'version';
  readonly flag: string;
  readonly short?: string;
  readonly meaning: string;
}

/** What one of the commands takes, and says of itself. */
export interface CommandSpec {
  readonly name: string;
  /** What follows the name, for people: `ORIGIN`, `[LABEL]`. */
  readonly usage: string;
  readonly maxOperands: number;
  /** One line in the list of commands. */
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  /** A variable that stands in for an operand. */
  readonly variables?: readonly { readonly variable: string; readonly meaning: string }[];
  /** Paragraphs of its help. */
  readonly notes: readonly string[];
  readonly examples: readonly string[];
}

/** The flags that every command has. */
export const SWITCHES: readonly Switch[] = [
  { name: 'json', flag: '--json', meaning: 'speak JSON, one object a line, on stdout' },
  { name: 'quiet', flag: '--quiet', short: '-q', meaning: 'say nothing but results, warnings and errors' },
  { name: 'help', flag: '--help', short: '-h', meaning: 'print this text' },
  { name: 'version', flag: '--version', short: '-v', meaning: 'print the version' },
];
