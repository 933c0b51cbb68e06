import type { CommandLine, FlagTexts } from './parse-command-line.ts';
import { describeValue } from './describe-value.ts';
import { UsageError } from './usage-error.ts';

/** The environment, as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A value, or a phrase saying what is allowed instead; `isSecret`: the given text must not be repeated. */
export type Parsed<T> = { readonly value: T } | { readonly expected: string; readonly isSecret?: boolean };

/** Turns a text into a value. */
export type ParseText<T> = (text: string) => Parsed<T>;

/** Compose files and shells can hardly unset a variable, only blank it; so blank means unset. */
export function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

/** Reads what one invocation was told, flag before variable, and words what is wrong with it. */
export class Settings {
  readonly env: Environment;
  readonly #line: CommandLine;

  constructor(line: CommandLine, env: Environment) {
    this.#line = line;
    this.env = env;
  }

  /** Whether a flag without a value was given. */
  has(flag: string): boolean {
    return this.#line.flags.has(flag);
  }

  operand(index: number): string | undefined {
    return this.#line.operands[index];
  }

  get operands(): readonly string[] {
    return this.#line.operands;
  }

  /** A variable that is set to something. */
  variable(name: string): string | undefined {
    const value = this.env[name];
    return isSet(value) ? value : undefined;
  }

  /**
   * The value of a flag, or else of the variable that stands in for it; a flag given twice counts as given last.
   * @throws {UsageError} when it does not parse.
   */
  read<T>(flag: string, parse: ParseText<T>): T | undefined {
    const texts = this.#line.flags.get(flag);
    if (texts !== undefined) return parseNamed(flag, texts.at(-1), parse);
    const name = this.#variableOf(flag);
    const text = name === undefined ? undefined : this.variable(name);
    return name === undefined || text === undefined ? undefined : parseNamed(name, text, parse);
  }

  /**
   * Every value of a flag that may be given several times.
   * @throws {UsageError} for the first that does not parse.
   */
  readAll<T>(flag: string, parse: ParseText<T>): readonly T[] {
    const texts: FlagTexts = this.#line.flags.get(flag) ?? [];
    return texts.map((text) => parseNamed(flag, text, parse));
  }

  #variableOf(flag: string): string | undefined {
    return this.#line.command?.options.find((option) => option.flag === flag)?.variable;
  }
}

/**
 * Parses a text that was given under a name.
 * @throws {UsageError} naming it, and what is allowed.
 */
export function parseNamed<T>(name: string, text: string | undefined, parse: ParseText<T>): T {
  const parsed = text === undefined ? { expected: 'a value', isSecret: true } : parse(text);
  if (!('expected' in parsed)) return parsed.value;
  const got = text === undefined || parsed.isSecret === true ? '' : `, got ${describeValue(text)}`;
  throw new UsageError(`Invalid ${name}: expected ${parsed.expected}${got}`);
}
