/** How the outcome of start-up is reported. */
export interface ReportStyle {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Where start-up is reported to; each call writes whole lines. */
export interface Output {
  stdout(text: string): void;
  stderr(text: string): void;
}

/** Where a daemon listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** What there is to say about a successful start. */
export interface Announcement {
  /** For people, without line ends. */
  readonly lines: readonly [string, ...string[]];
  /** For programs: what stands in the one line of `--json` beside its status. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The host of a URL. */
export function urlHost(host: string): string {
  // RFC 3986 section 3.2.2: an IPv6 address stands in brackets; RFC 6874: `%` of a zone id is escaped.
  return host.includes(':') ? `[${host.replace('%', '%25')}]` : host;
}

/** Says that the program runs. `--quiet` silences the lines for people; who asks for JSON waits for it. */
export function reportStarted(output: Output, style: ReportStyle, announcement: Announcement): void {
  if (style.json) {
    output.stdout(`${JSON.stringify({ status: 'ok', ...announcement.fields })}\n`);
  } else if (!style.quiet) {
    output.stdout(announcement.lines.map((line) => `${line}\n`).join(''));
  }
}

/** Says why the program does not run: one line on stderr, and with `--json` one on stdout too. */
export function reportFailure(output: Output, style: ReportStyle, problem: string): void {
  if (style.json) {
    output.stdout(`${JSON.stringify({ status: 'error', error: problem })}\n`);
  }
  output.stderr(`${problem}\n`);
}
