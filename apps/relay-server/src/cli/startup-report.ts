import type { Config } from '../config/resolve-config.ts';
import type { ReportStyle } from './plan-command.ts';

/** Where start-up is reported to; each call writes whole lines. */
export interface Output {
  stdout(text: string): void;
  stderr(text: string): void;
}

/** Where the relay can be reached. */
export function relayUrl({ publicUrl, host, port, path }: Config): string {
  // RFC 3986 section 3.2.2: an IPv6 address stands in brackets; RFC 6874: `%` of a zone id is escaped.
  const authority = host.includes(':') ? `[${host.replace('%', '%25')}]` : host;
  return publicUrl ?? `ws://${authority}:${port}${path}`;
}

/** Says that the relay listens. `--quiet` silences the line for people; who asks for JSON waits for it. */
export function reportListening(output: Output, style: ReportStyle, config: Config): void {
  const url = relayUrl(config);
  if (style.json) {
    const { host, port, path } = config;
    output.stdout(`${JSON.stringify({ status: 'ok', url, host, port, path })}\n`);
  } else if (!style.quiet) {
    output.stdout(`Relay listening at ${url}\n`);
  }
}

/** Says why the relay does not run: one line on stderr, and with `--json` one on stdout too. */
export function reportFailure(output: Output, style: ReportStyle, problem: string): void {
  if (style.json) {
    output.stdout(`${JSON.stringify({ status: 'error', error: problem })}\n`);
  }
  output.stderr(`${problem}\n`);
}
