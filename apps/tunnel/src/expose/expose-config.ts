import { UsageError } from '../cli/usage-error.ts';
import { parseNamed } from '../cli/settings.ts';
import type { Settings } from '../cli/settings.ts';
import { parseAllowPath, parseLabel, parseOrigin, parsePageUrl } from '../cli/parse-values.ts';
import { RELAY_VARIABLE } from '../cli/commands.ts';
import { parseRelayUrl } from '../cli/parse-relay-url.ts';
import { resolveExposure } from '../state/resolve-exposure.ts';
import type { ExposureFiles } from '../state/state-folder.ts';

/** What `expose` is told, checked. */
export interface ExposeConfig {
  readonly origin: string;
  readonly relayUrl: string;
  readonly allowPaths: readonly string[] | undefined;
  readonly name: string;
  readonly label: string | undefined;
  readonly pageUrl: string | undefined;
  /** Whether requests need the secret of a pairing. */
  readonly isSecret: boolean;
  readonly wantsQrCode: boolean;
  /** Whether the link of a pairing is shown, and a pairing made if there is none. */
  readonly showsLink: boolean;
  readonly files: ExposureFiles;
}

/** @throws {UsageError} for the first thing that is not usable. */
export function resolveExpose(settings: Settings): ExposeConfig {
  const { origin, morePaths } = readOperands(settings.operands);
  const relayUrl = settings.read('--relay', parseRelayUrl);
  if (relayUrl === undefined) {
    throw new UsageError(
      `Missing relay: expected --relay or ${RELAY_VARIABLE}, a ws:// or wss:// URL such as wss://relay.example.org/ws`,
    );
  }
  const paths = [...settings.readAll('--allow', parseAllowPath), ...morePaths];
  if (morePaths.length > 0 && paths.length === morePaths.length) {
    throw new UsageError('Unexpected path: expected --allow before paths that may be reached');
  }
  refuseContradiction(settings);
  const { name, files } = resolveExposure(settings);
  return {
    origin,
    relayUrl,
    allowPaths: paths.length === 0 ? undefined : paths,
    name,
    files,
    label: settings.read('--label', parseLabel),
    pageUrl: settings.read('--page', parsePageUrl),
    isSecret: !settings.has('--no-secret'),
    wantsQrCode: settings.has('--qr'),
    showsLink: !settings.has('--no-link'),
  };
}

function refuseContradiction(settings: Settings): void {
  if (!settings.has('--no-link')) return;
  const flag = ['--qr', '--label'].find((each) => settings.has(each));
  if (flag === undefined) return;
  throw new UsageError(`Unexpected ${flag}: expected either --no-link or a link to show`);
}

/** `--allow /a /b` means both paths, as `--allow /a --allow /b` does; an origin does not begin with a slash. */
function readOperands(operands: readonly string[]): { origin: string; morePaths: readonly string[] } {
  const [first, second] = operands.filter((operand) => !operand.startsWith('/'));
  if (first === undefined) {
    throw new UsageError('Missing ORIGIN: expected a port (3000) or a URL such as http://127.0.0.1:3000');
  }
  if (second !== undefined) throw new UsageError('Unexpected further argument: expected one ORIGIN');
  const morePaths = operands.filter((operand) => operand.startsWith('/'));
  return {
    origin: parseNamed('ORIGIN', first, parseOrigin),
    morePaths: morePaths.map((path) => parseNamed('--allow', path, parseAllowPath)),
  };
}
