import { PushStoreError } from '@openchambery/push';
import { describeListenFailure } from '../cli/listen-failure.ts';
import type { ListenTarget } from '../cli/listen-failure.ts';
import { PUSH_PREFIX } from './prefixes.ts';

/** One line about why the push relay did not start. */
export function describeStartFailure(error: unknown, target: Omit<ListenTarget, 'prefix'>): string {
  return error instanceof PushStoreError
    ? describeStoreFailure(error)
    : describeListenFailure(error, { ...target, prefix: PUSH_PREFIX });
}

/** One line about a database that is not usable. */
export function describeStoreFailure({ message }: PushStoreError): string {
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)} (${PUSH_PREFIX}DATABASE_PATH)`;
}
