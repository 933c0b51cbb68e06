import type { Logger } from '@openchambery/daemon';
import { LOG_LEVELS } from '../config/settings.ts';
import type { LogLevel } from '../config/settings.ts';
import type { FromWorker, LoggedLevel } from './messages.ts';

/** A logger whose lines another thread writes. */
export function createPortLogger(level: LogLevel, post: (message: FromWorker) => void): Logger {
  const least = LOG_LEVELS.indexOf(level);
  const logAt =
    (level: LoggedLevel) =>
    (fields: Record<string, unknown>, message: string): void => {
      if (LOG_LEVELS.indexOf(level) >= least) {
        post({ type: 'log', level, fields: plain(fields), message });
      }
    };
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') };
}

/** A message cannot carry everything that a log line can (functions, for one); what JSON cannot say is left out. */
function plain(fields: Record<string, unknown>): Record<string, unknown> {
  try {
    return JSON.parse(JSON.stringify(fields)) as Record<string, unknown>;
  } catch {
    return { fields: 'cannot be logged' };
  }
}
