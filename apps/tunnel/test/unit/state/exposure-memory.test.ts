import { stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { recallExposure, rememberExposure } from '../../../src/state/exposure-memory.ts';
import { temporaryExposure } from '../support/folder.ts';

const relayUrl = 'wss://relay.example.org/ws';

describe('what the last expose was told', () => {
  it.each([undefined, 'https://example.org/app'])('is there for pair, with the page %s', async (pageUrl) => {
    const files = await temporaryExposure();
    await rememberExposure(files, { relayUrl, pageUrl, isSecret: false });
    expect(await recallExposure(files)).toEqual({ relayUrl, pageUrl, isSecret: false });
    expect((await stat(files.exposure)).mode & 0o777).toBe(0o600);
  });

  it('is nothing when there was none', async () => {
    expect(await recallExposure(await temporaryExposure())).toBeUndefined();
  });

  it.each([
    '',
    'null',
    '{}',
    JSON.stringify({ version: 2, relayUrl, pageUrl: null, isSecret: true }),
    JSON.stringify({ version: 1, relayUrl: 'http://x', pageUrl: null, isSecret: true }),
    JSON.stringify({ version: 1, relayUrl, pageUrl: 'no url', isSecret: true }),
  ])('is nothing when the file says %j', async (text) => {
    const files = await temporaryExposure();
    await writeFile(files.exposure, text);
    expect(await recallExposure(files)).toBeUndefined();
  });
});
