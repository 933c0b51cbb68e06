import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Page } from 'playwright-core';
import { shared } from '../../../../apps/tunnel/test/e2e/support/keep.ts';
import { openPage, shows } from '../support/open-page.ts';
import { changeLink, exampleParties, secretOf } from '../support/parties.ts';

/** Everything a page shows or keeps, and what the history of its tab says. */
async function allThatIsKept(page: Page): Promise<string> {
  const kept = await page.evaluate(async () => {
    const values = [...document.querySelectorAll('input, textarea')].map(
      (field) => (field as HTMLInputElement).value,
    );
    const databases = await indexedDB.databases();
    return JSON.stringify({
      values,
      databases,
      html: document.documentElement.outerHTML,
      local: Object.entries(localStorage),
      session: Object.entries(sessionStorage),
      cookie: document.cookie,
      address: location.href,
      state: history.state as unknown,
    });
  });
  const client = await page.context().newCDPSession(page);
  const { entries } = await client.send('Page.getNavigationHistory');
  return kept + JSON.stringify(entries.map(({ url, title }) => [url, title]));
}

describe('the pairing link', () => {
  const parties = shared((keep) => exampleParties(keep));

  it('connects when it is opened, and leaves nothing of its secret behind', async () => {
    const opened = await openPage(parties.link);
    const { page } = opened;
    await shows(opened, 'connected');
    expect(page.url()).toBe(parties.pageUrl);
    expect(await page.locator('#state').innerText()).toBe('connected, end-to-end encrypted');
    expect(await page.locator('#fact-host').innerText()).toMatch(/^[\w-]{43}$/u);
    const kept = await allThatIsKept(page);
    expect(kept).not.toContain(secretOf(parties.link));
    expect(kept).not.toContain('#v=1&r=');
  });

  it('connects when it is pasted, also broken into lines, and vanishes from the field', async () => {
    const opened = await openPage(parties.pageUrl);
    const { page } = opened;
    expect(await page.getByRole('button', { name: 'Fetch' }).isDisabled()).toBe(true);
    const middle = Math.floor(parties.link.length / 2);
    const broken = `  ${parties.link.slice(0, middle)}\n  ${parties.link.slice(middle)}\n`;
    await page.getByLabel('Paste what').fill(broken);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await shows(opened, 'connected');
    expect(await page.getByLabel('Paste what').inputValue()).toBe('');
    expect(await allThatIsKept(page)).not.toContain(secretOf(parties.link));
  });

  it('is taken by a page that is open already', async () => {
    const opened = await openPage(parties.pageUrl);
    const { page } = opened;
    await page.goto(parties.link);
    await shows(opened, 'connected');
    expect(page.url()).toBe(parties.pageUrl);
    expect(await allThatIsKept(page)).not.toContain(secretOf(parties.link));
  });

  it.each([
    ['nothing', () => '', 'Paste a pairing link first'],
    ['another address', () => 'https://example.org/', 'not a pairing link'],
    ['a link that was cut off', () => parties.link.replace(/&k=.*$/u, ''), 'no valid key of the Host'],
    ['a link of a later version', () => parties.link.replace('#v=1', '#v=2'), 'version'],
    ['a key that is none', () => parties.link.replace(/&k=[^&]+/u, '&k=AAAA'), 'key'],
  ])('says what is wrong with %s', async (_what, link, words) => {
    const { page } = await openPage(parties.pageUrl);
    const field = page.getByLabel('Paste what');
    await field.fill(link());
    await field.press('Enter');
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('#state').getAttribute('data-state')).toBe('idle');
  });

  it('says what is wrong with a broken link in the address, and takes that out too', async () => {
    const { page } = await openPage(`${parties.pageUrl}#v=1&r=nonsense`);
    await page.getByRole('alert').filter({ hasText: 'not a URL' }).waitFor();
    expect(page.url()).toBe(parties.pageUrl);
  });

  it('keeps a connection when a broken link is pasted', async () => {
    const opened = await openPage(parties.link);
    const { page } = opened;
    await shows(opened, 'connected');
    await page.getByLabel('Paste what').fill('nonsense');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'not a pairing link' }).waitFor();
    await page.getByRole('button', { name: 'Fetch' }).click();
    await page.locator('#fetch-status').filter({ hasText: '200' }).waitFor();
  });

  it('shows a clear refusal when its secret is wrong', async () => {
    const secret = 'A'.repeat(22);
    const { page } = await openPage(changeLink(parties.link, parties.pageUrl, { secret }));
    const words = 'take a new pairing link';
    await page.getByRole('button', { name: 'Fetch' }).click();
    const status = page.locator('#fetch-status').filter({ hasText: words });
    expect(await status.innerText()).toMatch(/^401 ·/u);
    expect(await status.getAttribute('data-outcome')).toBe('bad');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.locator('#stream-status').filter({ hasText: words }).waitFor();
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await page.locator('#image-status').filter({ hasText: words }).waitFor();
    await page.getByLabel('Message', { exact: true }).fill('hello');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('#socket-status[data-outcome=bad]').filter({ hasText: 'pairing_required' }).waitFor();
  });

  it('works with the page as the development server serves it', async () => {
    const root = fileURLToPath(new URL('../../', import.meta.url));
    // It would load the page anew when a source changes, and the page remembers no link.
    const server = await createServer({
      root,
      logLevel: 'error',
      server: { port: 0, strictPort: false, hmr: false, watch: null },
    });
    onTestFinished(() => server.close());
    await server.listen();
    const [pageUrl = ''] = server.resolvedUrls?.local ?? [];
    const opened = await openPage(changeLink(parties.link, pageUrl, {}));
    const { page } = opened;
    await shows(opened, 'connected');
    await page.getByRole('button', { name: 'Fetch' }).click();
    await page.locator('#fetch-body').filter({ hasText: 'Hello from home' }).waitFor();
  });
});
