import { expect, it } from 'vitest';
import { isRefusal, REFUSAL_STATUS } from '../../src/request/refusal.ts';

it('has the codes of the contract, each with its status', () => {
  expect(REFUSAL_STATUS).toEqual({
    invalid_request: 400,
    unsupported_platform: 400,
    timestamp: 401,
    invalid_signature: 401,
    replay: 401,
    payload_too_large: 413,
    rate_limited: 429,
    token_limit: 429,
    internal: 500,
    shutting_down: 503,
  });
});

it('tells refusals from requests', () => {
  expect(isRefusal({ refusal: 'replay', detail: '' })).toBe(true);
  expect(isRefusal({ content: {} })).toBe(false);
});
