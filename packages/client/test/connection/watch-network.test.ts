import { afterEach, describe, expect, it, vi } from 'vitest';
import { watchNetwork } from '../../src/connection/watch-network.ts';
import { scriptClient } from '../support/scripted-client.ts';

/** Like a page's document. */
class Page extends EventTarget {
  visibilityState = 'visible';
}

afterEach(() => vi.unstubAllGlobals());

describe('watchNetwork', () => {
  it('hears of a network that comes back and of a page that does', () => {
    const window = new EventTarget();
    const document = new Page();
    let changes = 0;
    const stop = watchNetwork(() => (changes += 1), { window, document });
    window.dispatchEvent(new Event('online'));
    document.dispatchEvent(new Event('visibilitychange'));
    document.visibilityState = 'hidden';
    document.dispatchEvent(new Event('visibilitychange'));
    expect(changes).toBe(2);
    stop();
    document.visibilityState = 'visible';
    window.dispatchEvent(new Event('online'));
    document.dispatchEvent(new Event('visibilitychange'));
    expect(changes).toBe(2);
  });

  it('is used by a Client until it is closed', () => {
    const window = new EventTarget();
    vi.stubGlobal('window', window);
    const { client, open } = scriptClient();
    const tunnel = open();
    window.dispatchEvent(new Event('online'));
    expect(tunnel.probes).toHaveLength(1);
    client.close();
    window.dispatchEvent(new Event('online'));
    expect(tunnel.probes).toHaveLength(1);
  });

  it('does nothing where there is no page', () => {
    expect(() => watchNetwork(() => undefined)()).not.toThrow();
  });
});
