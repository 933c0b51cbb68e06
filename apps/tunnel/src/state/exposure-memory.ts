import { onOneLine } from '../cli/describe-value.ts';
import { parsePageUrl } from '../cli/parse-values.ts';
import { parseRelayUrl } from '../cli/parse-relay-url.ts';
import { readIfThere, replaceFile } from './private-file.ts';
import type { ExposureFiles } from './state-folder.ts';

/** What the last `expose` was told that links need. */
export interface ExposureMemory {
  readonly relayUrl: string;
  readonly pageUrl: string | undefined;
  /** Whether it asked for the secret of a pairing. */
  readonly isSecret: boolean;
}

const VERSION = 1;

/** Writes it down. Rejects with the system's error. */
export async function rememberExposure(files: ExposureFiles, memory: ExposureMemory): Promise<void> {
  const { relayUrl, pageUrl = null, isSecret } = memory;
  await replaceFile(
    files.exposure,
    `${JSON.stringify({ version: VERSION, relayUrl, pageUrl, isSecret }, null, 2)}\n`,
  );
}

/** Reads it; `undefined` when there is nothing usable: whoever asks can be told by flags instead. */
export async function recallExposure(files: ExposureFiles): Promise<ExposureMemory | undefined> {
  const text = await readIfThere(files.exposure);
  if (text === undefined) return undefined;
  try {
    const { version, relayUrl, pageUrl, isSecret } = JSON.parse(text) as Record<string, unknown>;
    if (version !== VERSION || typeof relayUrl !== 'string' || typeof isSecret !== 'boolean')
      return undefined;
    const relay = parseRelayUrl(relayUrl);
    const page =
      typeof pageUrl === 'string' ? parsePageUrl(onOneLine(pageUrl, pageUrl.length)) : { value: undefined };
    if ('expected' in relay || 'expected' in page) return undefined;
    return { relayUrl: relay.value, pageUrl: page.value, isSecret };
  } catch {
    // Not JSON, or no object: the same as one of another shape.
    return undefined;
  }
}
