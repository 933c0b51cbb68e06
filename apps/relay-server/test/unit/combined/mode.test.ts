import { describe, expect, it } from 'vitest';
import { isCombined } from '../../../src/combined/mode.ts';

describe('combined mode', () => {
  it.each([
    { OPENCHAMBER_PUSH_RELAY_APNS_KEY_ID: 'x' },
    { OPENCHAMBER_PUSH_RELAY_APNS_P8: 'x' },
    { OPENCHAMBER_PUSH_RELAY_APNS_SANDBOX_URL: 'x' },
    { OPENCHAMBER_PUSH_RELAY_APNS_TYPO: 'x' },
  ])('is made by %j', (env) => {
    expect(isCombined(env)).toBe(true);
  });

  it.each([
    {},
    { OPENCHAMBER_PUSH_RELAY_APNS_KEY_ID: '' },
    { OPENCHAMBER_PUSH_RELAY_APNS_KEY_ID: ' \t' },
    { OPENCHAMBER_PUSH_RELAY_URL: 'https://x', OPENCHAMBER_PUSH_RELAY_PORT: '1' },
    { OPENCHAMBER_APNS_ENVIRONMENT: 'sandbox' },
  ])('is not made by %j', (env) => {
    expect(isCombined(env)).toBe(false);
  });
});
