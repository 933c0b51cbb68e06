import { describe, expect, it } from 'vitest';
import { describeOldNode } from '../../../src/push/node-version.ts';

describe('the version of Node.js that push needs', () => {
  it.each(['22.13.0', '22.20.1', '24.0.0', '100.0.0'])('is there with %s', (version) => {
    expect(describeOldNode(version)).toBeUndefined();
  });

  it.each(['22.12.9', '20.19.0', '21.99.0'])('is not there with %s, which is said in a line', (version) => {
    expect(describeOldNode(version)).toBe(
      `Push needs Node.js 22.13 or newer, which has node:sqlite; this is ${version}`,
    );
  });
});
