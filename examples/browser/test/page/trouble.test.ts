import { eventually, startFaultProxy } from '@openchambery/testkit';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../../../apps/tunnel/test/e2e/support/command.ts';
import { untilTestEnds } from '../../../../apps/tunnel/test/e2e/support/keep.ts';
import { expose, ownFolder, ownRelay } from '../../../../apps/tunnel/test/e2e/support/tunnel.ts';
import { openPage, shows, TRANSPORTS } from '../support/open-page.ts';
import { changeLink, exampleParties } from '../support/parties.ts';

async function fetchWorks(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Fetch' }).click();
  await page.locator('#fetch-status').filter({ hasText: /^200/u }).waitFor();
}

describe.each(TRANSPORTS)('trouble, over %s', (transport) => {
  it('shows that the relay is gone, and connects again when it is back', async () => {
    const parties = await exampleParties(untilTestEnds);
    // The Host, too, finds the next relay at the old address.
    const door = await startFaultProxy({ target: { host: parties.relay.host, port: parties.relay.port } });
    onTestFinished(() => door.close());
    const relayUrl = `ws://${door.authority}${parties.relay.path}`;
    const state = await ownFolder();
    const { link } = await expose([parties.originUrl, '--relay', relayUrl, '--state', state]);
    const opened = await openPage(changeLink(link, parties.pageUrl, {}), { transport });
    const { page } = opened;
    await shows(opened, 'connected');
    await fetchWorks(page);

    await door.meetNew('refuse');
    await parties.relay.stop();
    await shows(opened, 'reconnecting');
    await page.getByRole('alert').filter({ hasText: 'broke' }).waitFor();
    expect(await page.locator('#state').innerText()).toBe('connection lost');
    await page
      .locator('#retry-in')
      .filter({ hasText: /^(?:Next attempt in \d+ s|Trying …)$/u })
      .waitFor();
    // A request waits for the connection.
    await page.getByRole('button', { name: 'Fetch' }).click();
    await page.locator('#fetch-status').filter({ hasText: 'asking …' }).waitFor();

    const relay = await ownRelay();
    door.retarget({ host: relay.host, port: relay.port });
    await door.meetNew('open');
    await shows(opened, 'connected');
    await page.locator('#fetch-status').filter({ hasText: /^200/u }).waitFor();
    expect(await page.locator('#trouble').isVisible()).toBe(false);
  });

  it('shows that the program is not being exposed any more', async () => {
    const parties = await exampleParties(untilTestEnds, { limits: { GRACE_MS: 100 } });
    const opened = await openPage(parties.link, { transport });
    const { page } = opened;
    await shows(opened, 'connected');
    parties.host.kill('SIGTERM');
    await parties.host.finished;
    await shows(opened, 'reconnecting');
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByRole('alert').filter({ hasText: 'the relay does not reach the Host' }).waitFor();
    await page.getByRole('alert').filter({ hasText: '4008' }).waitFor();
  });

  it('shows that the pairing was revoked', async () => {
    const parties = await exampleParties(untilTestEnds);
    const opened = await openPage(parties.link, { transport });
    const { page } = opened;
    await fetchWorks(page);
    await shows(opened, 'connected');
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('hello');
    await message.press('Enter');
    await page.locator('.received').waitFor();
    const { code } = await run(['revoke', '--all', '--state', parties.state]);
    expect(code).toBe(0);
    await shows(opened, 'reconnecting');
    await page.locator('#socket-status').filter({ hasText: 'closed with 1012' }).waitFor();
    await shows(opened, 'connected');
    await page.getByRole('button', { name: 'Fetch' }).click();
    const refusal = page.locator('#fetch-status').filter({ hasText: 'This pairing was revoked' });
    expect(await refusal.innerText()).toMatch(/^401 ·/u);
  });

  it('shows that the relay refuses, and tries again only when it is told to', async () => {
    const parties = await exampleParties(untilTestEnds, { limits: { MAX_CLIENTS_PER_HOST: 1 } });
    const first = await openPage(parties.link, { transport });
    await shows(first, 'connected');
    const opened = await openPage(parties.link, { transport });
    const { page } = opened;
    await shows(opened, 'failed');
    expect(await page.locator('#state').innerText()).toBe('refused');
    expect(await page.getByRole('button', { name: 'Fetch' }).isDisabled()).toBe(true);
    await page.getByRole('alert').filter({ hasText: '4029' }).waitFor();
    await first.page.getByRole('button', { name: 'Disconnect' }).click();
    await shows(first, 'closed');
    // The relay may still be taking leave of the other.
    await eventually(async () => {
      await page.getByRole('button', { name: 'Try now' }).click();
      expect(await shows(opened, 'failed', 'connected')).toBe('connected');
    });
    await fetchWorks(page);
  });

  it('finds out at once that the network has changed under it', async () => {
    const parties = await exampleParties(untilTestEnds);
    const opened = await openPage(parties.link, { transport });
    const { page } = opened;
    const connection = await parties.proxy.connection();
    await shows(opened, 'connected');
    await fetchWorks(page);
    // The old way swallows everything from now on, and nobody hears of it; a new one would work.
    connection.drop();
    const startedAt = performance.now();
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await shows(opened, 'reconnecting');
    await shows(opened, 'connected');
    // Without the event it takes the keepalive to notice.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await fetchWorks(page);
  });

  it('keeps a connection that is as good as before', async () => {
    const parties = await exampleParties(untilTestEnds);
    const opened = await openPage(parties.link, { transport });
    const { page } = opened;
    await shows(opened, 'connected');
    opened.states.takeAll();
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await fetchWorks(page);
    expect(parties.proxy.connectionsTotal).toBe(1);
    expect(opened.states.takeAll()).toEqual([]);
  });
});
