import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Inbox, withTimeout } from '@openchambery/testkit';
import { describe, expect, it } from 'vitest';
import { shared } from '../../../../apps/tunnel/test/e2e/support/keep.ts';
import type { Keep } from '../../../../apps/tunnel/test/e2e/support/keep.ts';
import { openPage, TRANSPORTS } from '../support/open-page.ts';
import { partiesOf } from '../support/parties.ts';

/** A program whose every word the test says. */
async function toldProgram(keep: Keep) {
  const answers = new Inbox<ServerResponse>('answers', () => 'answer');
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    answers.push(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  keep(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { ...(await partiesOf(keep, url)), answers };
}

describe.each(TRANSPORTS)('a streamed answer over %s', (transport) => {
  const parties = shared(toldProgram);

  it('is shown word by word, each before the next one is written', async () => {
    const { page } = await openPage(parties.link, { transport });
    await page.getByRole('button', { name: 'Ask' }).click();
    const answer = await parties.answers.take();
    let said = '';
    for (const word of ['one ', 'two ', 'thrée ', '\u{1f600} ', '<b>five</b> ']) {
      answer.write(`data: ${JSON.stringify(word)}\n\n`);
      said += word;
      await page.locator('#stream-text').filter({ hasText: said.trim() }).waitFor();
    }
    await page
      .locator('#stream-status')
      .filter({ hasText: /^5 events$/u })
      .waitFor();
    answer.end();
    await page
      .locator('#stream-status')
      .filter({ hasText: /^5 events, complete$/u })
      .waitFor();
  });

  it('is given up by the program too when the page stops it', async () => {
    const { page } = await openPage(parties.link, { transport });
    await page.getByRole('button', { name: 'Ask' }).click();
    const answer = await parties.answers.take();
    answer.write('data: "first "\n\n');
    await page.locator('#stream-text').filter({ hasText: 'first' }).waitFor();
    const gone = once(answer, 'close');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page
      .locator('#stream-status')
      .filter({ hasText: /^1 events, stopped$/u })
      .waitFor();
    await withTimeout(gone, () => 'the program still writes');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('stream-start');
  });

  it('ends with the reason when the program breaks off', async () => {
    const { page } = await openPage(parties.link, { transport });
    await page.getByRole('button', { name: 'Ask' }).click();
    const answer = await parties.answers.take();
    answer.write('data: "first "\n\n');
    await page.locator('#stream-text').filter({ hasText: 'first' }).waitFor();
    answer.destroy();
    const status = page.locator('#stream-status[data-outcome=bad]');
    expect(await status.innerText()).toMatch(/^1 events, the Host gave up on the request/u);
  });
});
