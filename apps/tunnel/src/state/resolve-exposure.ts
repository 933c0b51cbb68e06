import { parseName, parseText } from '../cli/parse-values.ts';
import type { Settings } from '../cli/settings.ts';
import { defaultStateFolder, exposureFiles, givenStateFolder } from './state-folder.ts';
import type { ExposureFiles } from './state-folder.ts';

/** Which exposure an invocation is about. */
export interface NamedExposure {
  readonly name: string;
  readonly files: ExposureFiles;
}

/** @throws {UsageError} for a name or folder that is not usable. */
export function resolveExposure(settings: Settings): NamedExposure {
  const name = settings.read('--name', parseName) ?? 'default';
  const given = settings.read('--state', parseText);
  const folder = given === undefined ? defaultStateFolder(settings.env) : givenStateFolder(given);
  return { name, files: exposureFiles(folder, name) };
}
