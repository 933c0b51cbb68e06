import type { RecordedAnswer, RecordedRequest } from '../request-log.ts';

/** How much of a device token may be seen. */
const TOKEN_DIGITS = 8;

export interface PushLineOptions {
  readonly environment: 'production' | 'sandbox';
  readonly showPayload: boolean;
}

/** One line about a push, with its line break: never the whole token, the payload only on demand. */
export function pushLine(request: RecordedRequest, options: PushLineOptions): string {
  const { headers, token, payload, payloadBytes } = request;
  const parts = [
    new Date(request.atMs).toISOString(),
    options.environment,
    answerText(request.answer),
    `type=${shown(headers['apns-push-type'])}`,
    `priority=${shown(headers['apns-priority'])}`,
    `token=${token === '' ? '-' : `${token.slice(0, TOKEN_DIGITS)}…`}`,
    `bytes=${payloadBytes}`,
  ];
  if (options.showPayload) parts.push(`payload=${JSON.stringify(payload) ?? '-'}`);
  return `${parts.join(' ')}\n`;
}

function answerText(answer: RecordedAnswer): string {
  if (answer === 'pending') return answer;
  if ('fault' in answer) return answer.fault;
  return answer.reason === undefined ? String(answer.status) : `${answer.status} ${answer.reason}`;
}

// Header values come from whoever connects: nothing but plain words gets to the terminal.
function shown(value: string | undefined): string {
  if (value === undefined || value === '') return '-';
  return /^[\w.-]{1,32}$/.test(value) ? value : '?';
}
