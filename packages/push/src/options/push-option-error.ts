import { OptionError } from '@openchambery/daemon';

/** An option of the push relay is not usable. Thrown before anything is opened. */
export class PushOptionError extends OptionError {
  override readonly name = 'PushOptionError';
  override readonly code = 'ERR_PUSH_OPTION';
}
