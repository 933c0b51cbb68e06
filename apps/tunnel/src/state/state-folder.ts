import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { codeOf, describeValue } from '../cli/describe-value.ts';
import { STATE_VARIABLE } from '../cli/commands.ts';
import { isSet } from '../cli/settings.ts';
import type { Environment } from '../cli/settings.ts';
import { UsageError } from '../cli/usage-error.ts';

/** The files of one exposure. */
export interface ExposureFiles {
  readonly folder: string;
  /** The Host's keys. */
  readonly identity: string;
  readonly pairs: string;
  /** What the last `expose` was told, for the links of `pair`. */
  readonly exposure: string;
  /** Held by the `expose` that runs. */
  readonly runLock: string;
  /** Held while `pairs` is changed. */
  readonly pairsLock: string;
}

/** Where the files of an exposure are; makes nothing. */
export function exposureFiles(stateFolder: string, name: string): ExposureFiles {
  const folder = join(stateFolder, name);
  return {
    folder,
    identity: join(folder, 'identity.json'),
    pairs: join(folder, 'pairs.json'),
    exposure: join(folder, 'exposure.json'),
    runLock: join(folder, 'running.lock'),
    pairsLock: join(folder, 'pairs.lock'),
  };
}

/** The folder for state when nobody names one: the XDG base directory specification's place for it. */
export function defaultStateFolder(env: Environment): string {
  const configured = env['XDG_CONFIG_HOME'];
  // The specification: a relative path in it is to be ignored.
  const base = isSet(configured) && isAbsolute(configured) ? configured : join(homedir(), '.config');
  return join(base, 'openchamber-tunnel');
}

/** A folder as it was given, from wherever the command was called. */
export function givenStateFolder(text: string): string {
  return resolve(text);
}

/**
 * Makes an exposure's folder, for its owner's eyes only.
 * @throws {UsageError} when that cannot be done.
 */
export async function makeFolder({ folder }: ExposureFiles): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const reason = codeOf(error) ?? 'unknown error';
    throw new UsageError(
      `Cannot make the folder ${describeValue(folder)} (${reason}): choose another with --state or ${STATE_VARIABLE}`,
      { cause: error },
    );
  }
}
