import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { shared } from '../../../../apps/tunnel/test/e2e/support/keep.ts';
import { findPaleTexts } from '../support/contrast.ts';
import { openPage, shows } from '../support/open-page.ts';
import type { OpenedPage } from '../support/open-page.ts';
import { exampleParties } from '../support/parties.ts';

const SCHEMES = ['light', 'dark'] as const;
const SIZES = { narrow: { width: 360, height: 740 }, wide: { width: 1280, height: 900 } } as const;

/** For people to look at; never committed. */
const PICTURES = fileURLToPath(new URL('../../../../.vitest/browser-example/', import.meta.url));

const appearances = SCHEMES.flatMap((colorScheme) =>
  (['narrow', 'wide'] as const).map((size) => ({ colorScheme, size, viewport: SIZES[size] })),
);

/** Uses every card. */
async function useAll({ page }: OpenedPage): Promise<void> {
  await page.getByRole('button', { name: 'Fetch' }).click();
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  const file = {
    name: 'holiday.bin',
    mimeType: 'application/octet-stream',
    buffer: Buffer.alloc(3_000_000, 7),
  };
  await page.getByLabel('A file to send').setInputFiles(file);
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByLabel('Message', { exact: true }).fill('hello, home');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('.received').waitFor();
  await page.locator('#fetch-status').filter({ hasText: /^200/u }).waitFor();
  await page.locator('#upload-status').filter({ hasText: 'SHA-256' }).waitFor();
  await page.locator('#image-status').filter({ hasText: 'svg' }).waitFor();
  await page.locator('#stream-status').filter({ hasText: 'complete' }).waitFor();
}

/** Looks for what no picture should show, and takes the picture. */
async function inspect(page: Page, name: string): Promise<void> {
  expect(await page.evaluate(findPaleTexts), name).toEqual([]);
  const tooWide = await page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const cut = [...document.body.querySelectorAll('*')].filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return element.checkVisibility() && (left < 0 || right > clientWidth) && !element.matches('.hidden');
    });
    return { by: scrollWidth - clientWidth, cut: cut.map(({ id, tagName }) => id || tagName) };
  });
  expect(tooWide, name).toEqual({ by: 0, cut: [] });
  await mkdir(PICTURES, { recursive: true });
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: join(PICTURES, `${name}-top.png`) });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}

describe.each(appearances)('the page, $colorScheme and $size', ({ colorScheme, size, viewport }) => {
  const parties = shared((keep) => exampleParties(keep, { limits: { MAX_CLIENTS_PER_HOST: 1 } }));
  const open = (url: string) => openPage(url, { colorScheme, viewport, reducedMotion: 'reduce' });

  it('can be read before it is connected, and when the link is wrong', async () => {
    const { page } = await open(parties.pageUrl);
    await inspect(page, `idle-${colorScheme}-${size}`);
    await page.getByLabel('Paste what').fill('https://example.org/');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'not a pairing link' }).waitFor();
    await inspect(page, `wrong-link-${colorScheme}-${size}`);
  });

  it('can be read when everything was used, and when the relay refuses', async () => {
    const opened = await open(parties.link);
    await shows(opened, 'connected');
    await useAll(opened);
    await inspect(opened.page, `used-${colorScheme}-${size}`);
    const refused = await open(parties.link);
    await shows(refused, 'failed');
    await inspect(refused.page, `failed-${colorScheme}-${size}`);
    // What is found by keyboard or link must not lie under the header.
    await opened.page.getByLabel('Path').focus();
    const header = await opened.page.locator('header').boundingBox();
    const field = await opened.page.getByLabel('Path').boundingBox();
    expect((header?.y ?? 0) + (header?.height ?? 0)).toBeLessThanOrEqual(field?.y ?? 0);
    expect(header?.height).toBeLessThan(viewport.height / 5);
  });
});

describe('the page', () => {
  const parties = shared((keep) => exampleParties(keep));

  it('gives everything that can be used a name, and everything that is told a role', async () => {
    const opened = await openPage(parties.link);
    await shows(opened, 'connected');
    const tree = await opened.page.locator('body').ariaSnapshot();
    expect(tree).not.toMatch(/- (?:button|textbox|region|progressbar|img|log)\s*(?::|$)/mu);
    for (const line of [
      '- heading "Through the relay" [level=1]',
      '- status: connected, end-to-end encrypted',
      '- region "Pairing link"',
      '- textbox "Paste what openchamber-tunnel expose has printed, or open that link here."',
      '- textbox "Path"',
      '- button "A file to send"',
      '- log "Messages"',
    ]) {
      expect(tree).toContain(line);
    }
  });

  it('can be used with the keyboard alone', async () => {
    const opened = await openPage(parties.pageUrl);
    const { keyboard } = opened.page;
    const focused = () =>
      opened.page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent);
    await keyboard.press('Tab');
    expect(await focused()).toBe('link');
    await keyboard.insertText(parties.link);
    await keyboard.press('Enter');
    await shows(opened, 'connected');
    const order: unknown[] = [];
    for (let stop = 0; stop < 12; stop += 1) {
      await keyboard.press('Tab');
      order.push(await focused());
    }
    expect(order).toEqual([
      'Connect',
      'disconnect',
      'fetch-path',
      'Fetch',
      'fetch-body',
      'stream-start',
      'stream-text',
      'upload-file',
      'Upload',
      'socket-text',
      'Send',
      'socket-log',
    ]);
    await opened.page.getByLabel('Path').focus();
    await keyboard.press('Enter');
    await opened.page.locator('#fetch-status').filter({ hasText: /^200/u }).waitFor();
    await opened.page.getByLabel('Message', { exact: true }).focus();
    await keyboard.type('by hand');
    await keyboard.press('Enter');
    await opened.page.locator('.received').filter({ hasText: 'by hand' }).waitFor();
    const outline = await opened.page.evaluate(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement ?? document.body);
      return `${outlineStyle} ${outlineWidth}`;
    });
    expect(outline).toBe('solid 3px');
  });

  it.each([
    ['reduce', 0],
    ['no-preference', 1],
  ] as const)('moves only where motion is welcome (%s)', async (reducedMotion, count) => {
    const { page } = await openPage(parties.pageUrl, { reducedMotion });
    const running = await page.evaluate(() => {
      document.querySelector<HTMLElement>('#state')?.setAttribute('data-state', 'connecting');
      return document.getAnimations().length;
    });
    expect(running).toBe(count);
  });
});
