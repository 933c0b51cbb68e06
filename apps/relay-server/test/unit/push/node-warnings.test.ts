import { describe, expect, it, onTestFinished } from 'vitest';
import { hideExperimentalWarnings } from '../../../src/push/node-warnings.ts';

describe('warnings of Node.js', () => {
  it('about what is experimental are hidden, all others are not', () => {
    const before = process.listeners('warning');
    onTestFinished(() => {
      process.removeAllListeners('warning');
      for (const listener of before) process.on('warning', listener);
    });
    process.removeAllListeners('warning');
    const heard: string[] = [];
    process.on('warning', ({ message }) => heard.push(message));
    hideExperimentalWarnings();
    process.emit('warning', Object.assign(new Error('SQLite'), { name: 'ExperimentalWarning' }));
    process.emit('warning', Object.assign(new Error('old'), { name: 'DeprecationWarning' }));
    expect(heard).toEqual(['old']);
  });
});
