import { Inbox } from '@openchambery/testkit';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';

/** How a page reaches the relay: a browser may have both ways. */
export type Transport = 'WebSocketStream' | 'WebSocket';

/** Both of them, for tests that are done over each. */
export const TRANSPORTS: readonly Transport[] = ['WebSocketStream', 'WebSocket'];

/** How a page is opened. */
export interface OpenOptions extends BrowserContextOptions {
  /** @default 'WebSocketStream' */
  readonly transport?: Transport;
}

/** A page, and what it shows of its state. */
export interface OpenedPage {
  readonly page: Page;
  /** Each state that `#state` has shown, in order. */
  readonly states: Inbox<string>;
}

/** Chromium says so of each WebSocket that fails, whatever the page does about it. */
const EXPECTED = /^WebSocket connection to 'ws:.*' failed/u;

/** How long a wait lasts before it fails, in ms: it only ever passes when something is broken. */
const WAIT_MS = 30_000;

let browser: Promise<Browser> | undefined;

/** Opens a page in a browser profile of its own, until the test ends; it must not have caused any error by then. */
export async function openPage(url: string, options: OpenOptions = {}): Promise<OpenedPage> {
  const { transport = 'WebSocketStream', ...rest } = options;
  browser ??= chromium.connect(inject('browserEndpoint'));
  const context = await (await browser).newContext(rest);
  const problems: string[] = [];
  const states = new Inbox<string>('states of the page', (state) => state);
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !EXPECTED.test(message.text())) problems.push(message.text());
  });
  await context.exposeBinding('noteState', (_source, state: string) => states.push(state));
  await context.addInitScript(watchState);
  if (transport === 'WebSocket') {
    await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'WebSocketStream'));
  }
  await page.goto(url);
  return { page, states };
}

/** Resolves when the page shows that state, or has shown it since the last wait. */
export async function shows({ states }: OpenedPage, ...wanted: readonly string[]): Promise<string> {
  return await states.take({ matches: (state) => wanted.includes(state), timeoutMs: WAIT_MS });
}

/** Opens the page of the Client's tests, and connects its Client. */
export async function openHarness(link: string, options: OpenOptions = {}): Promise<Page> {
  const url = new URL(link);
  const { page } = await openPage(url.origin, options);
  await page.evaluate((hash) => harness.connect(hash), url.hash);
  return page;
}

/** Runs in the page. */
function watchState(): void {
  const { noteState } = globalThis as unknown as {
    readonly noteState: (state: string) => Promise<void>;
  };
  document.addEventListener('DOMContentLoaded', () => {
    const state = document.querySelector<HTMLElement>('#state');
    if (state === null) return;
    const note = (): void => void noteState(state.dataset['state'] ?? '');
    new MutationObserver(note).observe(state, { attributes: true, attributeFilter: ['data-state'] });
    note();
  });
}
