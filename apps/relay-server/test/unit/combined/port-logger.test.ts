import { describe, expect, it } from 'vitest';
import type { FromWorker } from '../../../src/combined/messages.ts';
import { createPortLogger } from '../../../src/combined/port-logger.ts';
import { LOG_LEVELS } from '../../../src/config/settings.ts';
import type { LogLevel } from '../../../src/config/settings.ts';

function linesAt(level: LogLevel, fields: Record<string, unknown> = {}): FromWorker[] {
  const sent: FromWorker[] = [];
  const logger = createPortLogger(level, (message) => void sent.push(message));
  for (const own of ['debug', 'info', 'warn', 'error'] as const) logger[own](fields, `${own} line`);
  return sent;
}

describe('a logger of another thread', () => {
  it('sends level, fields and message', () => {
    expect(linesAt('error', { a: 1, b: { c: [true] } })).toEqual([
      { type: 'log', level: 'error', fields: { a: 1, b: { c: [true] } }, message: 'error line' },
    ]);
  });

  it.each(LOG_LEVELS.map((level, rank) => [level, rank] as const))(
    'sends nothing below %s',
    (level, rank) => {
      const sent = linesAt(level).map((line) => line.type === 'log' && line.level);
      expect(sent).toEqual(['debug', 'info', 'warn', 'error'].filter((_own, index) => index + 1 >= rank));
    },
  );

  it('sends only what a message can carry', () => {
    const circle: Record<string, unknown> = {};
    circle['itself'] = circle;
    expect(
      structuredClone(linesAt('error', { fn: () => 1, when: new Date(0), gone: undefined })),
    ).toMatchObject([{ fields: { when: '1970-01-01T00:00:00.000Z' } }]);
    expect(linesAt('error', circle)).toMatchObject([{ fields: { fields: 'cannot be logged' } }]);
  });
});
