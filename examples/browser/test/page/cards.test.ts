import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { shared } from '../../../../apps/tunnel/test/e2e/support/keep.ts';
import { ownFolder } from '../../../../apps/tunnel/test/e2e/support/tunnel.ts';
import { openPage, shows, TRANSPORTS } from '../support/open-page.ts';
import { exampleParties } from '../support/parties.ts';

const UPLOAD_BYTES = 20 * 1024 * 1024;

function summary(page: Page, card: string, text: string | RegExp) {
  return page.locator(`#${card}-status`).filter({ hasText: text });
}

/** Keeps the values that a progress bar takes on, in the page. */
async function watchProgress(page: Page): Promise<() => Promise<readonly number[]>> {
  const values = await page.locator('#upload-progress').evaluateHandle((bar) => {
    const seen: number[] = [];
    new MutationObserver(() => void seen.push((bar as HTMLProgressElement).value)).observe(bar, {
      attributes: true,
      attributeFilter: ['value'],
    });
    return seen;
  });
  return () => values.jsonValue();
}

describe.each(TRANSPORTS)('the page over %s', (transport) => {
  const parties = shared((keep) => exampleParties(keep));
  const files = shared(async (keep) => {
    const file = join(await ownFolder(keep), 'file.bin');
    const content = randomBytes(UPLOAD_BYTES);
    await writeFile(file, content);
    return { file, sha256: createHash('sha256').update(content).digest('hex') };
  });
  const open = () => openPage(parties.link, { transport });

  it('uses the transport that the test is about', async () => {
    const { page } = await open();
    const type = await page.evaluate(
      () => typeof (globalThis as { WebSocketStream?: unknown }).WebSocketStream,
    );
    expect(type).toBe(transport === 'WebSocket' ? 'undefined' : 'function');
  });

  it('shows the answer to a request', async () => {
    const { page } = await open();
    await page.getByLabel('Path').fill('/api/hello?name=x');
    await page.getByRole('button', { name: 'Fetch' }).click();
    await summary(page, 'fetch', /^200 · application\/json · \d+ ms$/u).waitFor();
    const answer = JSON.parse(await page.locator('#fetch-body').innerText()) as Record<string, unknown>;
    expect(answer).toMatchObject({ message: 'Hello from home', method: 'GET', url: '/api/hello?name=x' });
    expect(JSON.stringify(answer)).not.toContain('pairing-secret');
  });

  it('shows what the program says of a path that it does not know', async () => {
    const { page } = await open();
    await page.getByLabel('Path').fill('/nothing');
    await page.getByLabel('Path').press('Enter');
    await summary(page, 'fetch', /^404 · text\/plain/u).waitFor();
    expect(await page.locator('#fetch-body').innerText()).toContain('There is nothing at GET /nothing');
  });

  it('shows a streamed answer to its end', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Ask' }).click();
    await summary(page, 'stream', /^\d+ events, complete$/u).waitFor();
    expect(await page.locator('#stream-text').innerText()).toMatch(
      /^Somewhere at home .* moment it comes\.$/u,
    );
    expect(await page.getByRole('button', { name: 'Stop' }).isDisabled()).toBe(true);
  });

  it('uploads a file, shows how far it is, and that all of it arrived', async () => {
    const { page } = await open();
    const progress = await watchProgress(page);
    await page.getByLabel('A file to send').setInputFiles(files.file);
    await page.getByRole('button', { name: 'Upload' }).click();
    await summary(page, 'upload', `${UPLOAD_BYTES} bytes arrived`)
      .filter({ hasText: files.sha256 })
      .waitFor();
    const values = await progress();
    expect(new Set(values).size).toBeGreaterThan(10);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect(values[0]).toBeLessThan(0.2);
    expect(values.at(-1)).toBe(1);
  });

  it('gives up an upload that is cancelled, and can do the next', async () => {
    const opened = await open();
    const { page } = opened;
    await shows(opened, 'connected');
    // The network takes no more than fits into the buffers on the way.
    parties.proxy.stop('toTarget');
    await page.getByLabel('A file to send').setInputFiles(files.file);
    await page.getByRole('button', { name: 'Upload' }).click();
    await summary(page, 'upload', /^\d+\.\d MiB of 20\.0 MiB · \d+\.\d MiB\/s$/u).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await summary(page, 'upload', /^cancelled$/u).waitFor();
    parties.proxy.heal();
    const value = await page
      .locator('#upload-progress')
      .evaluate((bar) => (bar as HTMLProgressElement).value);
    expect(value).toBeLessThan(1);
    await page.getByRole('button', { name: 'Fetch' }).click();
    await summary(page, 'fetch', /^200/u).waitFor();
    await page.getByRole('button', { name: 'Upload' }).click();
    await summary(page, 'upload', files.sha256).waitFor();
  });

  it('exchanges messages over a WebSocket, closes it, and opens another', async () => {
    const { page } = await open();
    const field = page.getByLabel('Message', { exact: true });
    const log = page.getByRole('log');
    // Three in one turn: two of them before it is open.
    await page.evaluate(() => {
      const form = document.querySelector<HTMLFormElement>('#socket-form');
      const input = document.querySelector<HTMLInputElement>('#socket-text');
      for (const word of ['one', 'two', 'three']) {
        if (input !== null) input.value = word;
        form?.requestSubmit();
      }
    });
    await log.locator('.received').nth(2).waitFor();
    expect(await log.locator('.received').allInnerTexts()).toEqual(['one', 'two', 'three']);
    await page.getByRole('button', { name: 'Close' }).click();
    await summary(page, 'socket', /^closed with 1000 the user is done$/u).waitFor();
    await field.fill('<b>four</b>');
    await field.press('Enter');
    await log.locator('.received').nth(3).waitFor();
    expect(await log.locator('.received').last().innerText()).toBe('<b>four</b>');
    await summary(page, 'socket', /^open$/u).waitFor();
  });

  it('shows an image', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await summary(page, 'image', /^image\/svg\+xml, \d+ bytes$/u).waitFor();
    const size = await page
      .getByRole('img')
      .evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight, image.complete]);
    expect(size).toEqual([480, 200, true]);
  });

  it('disconnects, and says so', async () => {
    const opened = await open();
    const { page } = opened;
    await shows(opened, 'connected');
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await shows(opened, 'closed');
    expect(await page.getByRole('button', { name: 'Fetch' }).isDisabled()).toBe(true);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('link');
  });
});
