import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { routeOf, ROUTES } from '../../src/request/route.ts';

const PATHS = [
  '/v1/push/register-token',
  '/v1/push/register-live-activity-token',
  '/v1/push/unregister-live-activity-token',
  '/v1/push/send',
  '/v1/push/live-activity',
];

it('has the routes of the contract and no other', () => {
  expect(Object.values(ROUTES).toSorted()).toEqual(PATHS.toSorted());
});

describe.each(PATHS)('%s', (path) => {
  it('is a route by POST alone', () => {
    expect(routeOf('POST', path)).toBe(path);
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'CONNECT', 'post', '']) {
      expect(routeOf(method, path)).toBeUndefined();
    }
  });

  it('is one whatever query follows', () => {
    expect(routeOf('POST', `${path}?`)).toBe(path);
    expect(routeOf('POST', `${path}?a=/v1?b%`)).toBe(path);
  });

  it.each([
    `${path}/`,
    `${path}#x`,
    `/${path}`,
    `${path}%20`,
    path.toUpperCase(),
    path.slice(1),
    `/.${path}`,
    path.replace('push', '%70ush'),
    `http://push${path}`,
    `${path} `,
    `${path}\0`,
  ])('is not %j', (target) => {
    expect(routeOf('POST', target)).toBeUndefined();
  });
});

it.each([
  '',
  '/',
  '//',
  '*',
  '?',
  '/%',
  '///v1',
  'http://',
  'constructor',
  '__proto__',
  '/v1/push',
  '/v1/push/',
])('finds nothing at %j', (target) => {
  expect(routeOf('POST', target)).toBeUndefined();
});

it('never throws, whatever the target', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (target) => {
      expect(routeOf('POST', target)).toBeUndefined();
    }),
  );
});
