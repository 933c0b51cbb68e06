import { OptionError } from '@openchambery/daemon';

/** An option of the relay is not usable. Thrown before anything is opened. */
export class RelayOptionError extends OptionError {
  override readonly name = 'RelayOptionError';
  override readonly code = 'ERR_RELAY_OPTION';
}
