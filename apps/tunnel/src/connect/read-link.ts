import { parsePairingLink } from '@openchambery/tunnel';
import type { PairingFacts } from '@openchambery/tunnel';
import { LINK_VARIABLE } from '../cli/commands.ts';
import type { Settings } from '../cli/settings.ts';
import type { Surroundings } from '../cli/surroundings.ts';
import { UsageError } from '../cli/usage-error.ts';

/** Far more than a link has. */
const MAX_LINK_BYTES = 16_384;

/**
 * The pairing that a link names: the argument, or stdin for `-`, or else the variable.
 * @throws {UsageError} when there is none; its message repeats nothing of the link.
 */
export async function readLink(
  operand: string | undefined,
  settings: Settings,
  { readStdinLine }: Pick<Surroundings, 'readStdinLine'>,
): Promise<PairingFacts> {
  if (operand === '-') return parseLink('the link on stdin', await readStdinLine(MAX_LINK_BYTES));
  if (operand !== undefined) return parseLink('LINK', operand);
  const variable = settings.variable(LINK_VARIABLE);
  if (variable !== undefined) return parseLink(LINK_VARIABLE, variable);
  throw new UsageError(
    `Missing LINK: expected a pairing link as expose prints it, or - to read it from stdin, or ${LINK_VARIABLE}`,
  );
}

function parseLink(name: string, text: string): PairingFacts {
  const parsed = parsePairingLink(text.trim());
  if ('fault' in parsed) throw new UsageError(`Invalid ${name}: ${parsed.message}`);
  return parsed;
}
