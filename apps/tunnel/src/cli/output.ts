/** How an invocation speaks. */
export interface ReportStyle {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Where it speaks to; each call writes whole lines, but for what a terminal redraws. */
export interface Output {
  stdout(text: string): void;
  stderr(text: string): void;
}

/** Reports a result for programs: one line of JSON. */
export function reportJson(output: Output, fields: Readonly<Record<string, unknown>>): void {
  output.stdout(`${JSON.stringify(fields)}\n`);
}

/** Says why something was not done: one line on stderr, and with `--json` one on stdout too. */
export function reportFailure(output: Output, style: ReportStyle, problem: string): void {
  if (style.json) reportJson(output, { status: 'error', error: problem });
  output.stderr(`${problem}\n`);
}
