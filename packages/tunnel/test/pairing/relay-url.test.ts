import { describe, expect, it } from 'vitest';
import { normaliseRelayUrl, RelayUrlError } from '../../src/index.ts';

describe('normaliseRelayUrl', () => {
  it.each([
    ['wss://relay.example', 'wss://relay.example/'],
    ['wss://relay.example/ws', 'wss://relay.example/ws'],
    ['WS://Relay.Example:80/a/../ws', 'ws://relay.example/ws'],
    ['ws://127.0.0.1:8443/ws?token=1#part', 'ws://127.0.0.1:8443/ws'],
    ['ws://[::1]:9000/ws?', 'ws://[::1]:9000/ws'],
    [' wss://relay.example/ws# ', 'wss://relay.example/ws'],
  ])('makes of %s: %s', (url, normalised) => {
    expect(normaliseRelayUrl(url)).toBe(normalised);
    expect(normaliseRelayUrl(new URL(url))).toBe(normalised);
    expect(normaliseRelayUrl(normalised)).toBe(normalised);
  });

  it.each(['', 'relay.example', '/ws', 'wss://', 'wss://a b/', 'ws://h:99999/'])(
    'refuses %j: not a URL',
    (url) => {
      expect(() => normaliseRelayUrl(url)).toThrow(/^not a URL: a relay URL looks like wss:/);
    },
  );

  it.each(['https://relay.example/ws', 'http://relay.example', 'file:///ws', 'mailto:a@b'])(
    'refuses %s for its scheme',
    (url) => {
      expect(() => normaliseRelayUrl(url)).toThrow(/scheme must be ws: or wss:/);
    },
  );

  it.each(['wss://me@relay.example', 'wss://:hunter2@relay.example', 'wss://me:hunter2@relay.example/ws'])(
    'refuses the user in %s, and does not repeat it',
    (url) => {
      const error = catchError(() => normaliseRelayUrl(url));
      expect(error).toBeInstanceOf(RelayUrlError);
      expect(error).toMatchObject({ code: 'ERR_RELAY_URL' });
      expect(String(error)).not.toMatch(/hunter2|me@/);
    },
  );

  it('does not repeat what it cannot read', () => {
    const error = catchError(() => normaliseRelayUrl('wss://me:hunter2@relay.example:x'));
    expect(error).not.toHaveProperty('cause');
    expect(String(error)).not.toContain('hunter2');
  });
});

function catchError(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}
