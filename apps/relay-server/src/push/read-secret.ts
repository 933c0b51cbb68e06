import { ConfigError } from '../config/config-error.ts';
import { parseAnyText } from '../config/parse-value.ts';
import type { SettingReader } from '../config/setting-reader.ts';
import { PUSH_PREFIX } from './prefixes.ts';
import { readKeyFile } from './read-key-file.ts';
import type { PushOption } from './settings.ts';

/** A secret that may be given as it is or as a file. */
export interface SecretPlace {
  readonly inline: PushOption;
  readonly path: PushOption;
  /** Name of the variable for the text, without the prefix; that of the file. */
  readonly inlineName: string;
  readonly pathName: string;
}

/** A secret, and the setting it comes from. */
export interface Secret {
  readonly option: PushOption;
  readonly text: string;
}

/**
 * Reads a secret from whichever of its two settings is set.
 * @throws {ConfigError} when both are, or the file cannot be read.
 */
export function readSecret(settings: SettingReader<PushOption>, place: SecretPlace): Secret | undefined {
  const inline = settings.read(place.inline, parseAnyText);
  const path = settings.read(place.path, parseAnyText);
  if (inline !== undefined && path !== undefined) {
    const [inlineName, pathName] = [PUSH_PREFIX + place.inlineName, PUSH_PREFIX + place.pathName];
    throw new ConfigError(`Invalid ${pathName}: expected no value beside ${inlineName}; set one of the two`);
  }
  if (inline !== undefined) return { option: place.inline, text: inline };
  if (path === undefined) return undefined;
  const file = readKeyFile(path);
  if ('problem' in file) throw settings.invalid(place.path, 'a file that can be read', file.problem);
  return { option: place.path, text: file.text };
}

/** Docker keeps the quotes around a value in an env file. */
export function withoutQuotes(text: string): string {
  const quoted = /^\s*(?<quote>["'])(?<inner>[^"']*)\k<quote>\s*$/u.exec(text);
  return quoted?.groups?.['inner'] ?? text;
}
