import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import type { LogSink } from './log-writer.ts';

const STDERR = 2;

/** The process's stderr, as a sink. */
export function openStderrSink(): LogSink {
  const fd = openWithoutWaiting();
  return {
    write: (bytes, done) => write(fd, bytes, done),
    writeNow: (bytes) => writeSync(fd, bytes),
  };
}

/**
 * A write that waits for its reader holds a thread, and Node joins its threads before it exits. Whether one waits
 * belongs to the open file, which we share with whoever started us (and Node itself makes terminals wait): hence
 * an open file of our own.
 */
function openWithoutWaiting(): number {
  try {
    const stat = fstatSync(STDERR);
    // Nothing else can make a writer wait for good; and a file opened again would be written from its start.
    if (!stat.isFIFO() && !stat.isCharacterDevice()) return STDERR;
    return openSync('/dev/fd/2', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // Not every system can, and not every user may; the pipes that Node opens as streams do not wait anyway.
    return STDERR;
  }
}
