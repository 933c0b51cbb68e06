import type { Logger } from '@openchambery/daemon';

type Level = keyof Logger;

/** One line, as it would be written. */
export interface Line {
  readonly level: Level;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Writes down every line of every level. */
export class RecordingLogger implements Logger {
  readonly lines: Line[] = [];

  debug(fields: Record<string, unknown>, message: string): void {
    this.lines.push({ level: 'debug', fields, message });
  }

  info(fields: Record<string, unknown>, message: string): void {
    this.lines.push({ level: 'info', fields, message });
  }

  warn(fields: Record<string, unknown>, message: string): void {
    this.lines.push({ level: 'warn', fields, message });
  }

  error(fields: Record<string, unknown>, message: string): void {
    this.lines.push({ level: 'error', fields, message });
  }

  of(level: Level): readonly Line[] {
    return this.lines.filter((line) => line.level === level);
  }

  /** Everything that was written, errors with all that they hold. */
  text(): string {
    return JSON.stringify(this.lines, (_, value: unknown) =>
      value instanceof Error
        ? { ...Object.fromEntries(Object.entries(value)), message: value.message, stack: value.stack }
        : value,
    );
  }
}
