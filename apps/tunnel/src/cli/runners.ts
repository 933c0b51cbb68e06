import { runConnect } from '../connect/connect.ts';
import { runExpose } from '../expose/expose.ts';
import { runGet } from '../get/get.ts';
import { runPair } from '../pairs/pair-command.ts';
import { runPairs } from '../pairs/pairs-command.ts';
import { runRevoke } from '../pairs/revoke-command.ts';
import type { CommandName } from './commands.ts';
import type { Settings } from './settings.ts';
import type { Surroundings } from './surroundings.ts';

/** Runs a command to its end. @returns the exit code. @throws {UsageError} among others. */
export type Runner = (settings: Settings, surroundings: Surroundings) => Promise<number>;

/** What each command does. */
export const RUNNERS: Readonly<Record<CommandName, Runner>> = {
  expose: runExpose,
  connect: runConnect,
  get: runGet,
  pair: runPair,
  pairs: runPairs,
  revoke: runRevoke,
};
