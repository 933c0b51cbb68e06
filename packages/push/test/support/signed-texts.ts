import type { Body } from './bodies.ts';

/** The signed texts once more, straight from the contract and from what was sent, to judge those of src/ by. */
export function registrationText(body: Body): string {
  return ['ts', 'token', 'platform', 'kind']
    .filter((name) => name in body)
    .map((name) => String(body[name]))
    .join('.');
}

export function sendText({ ts, tokens, title }: Body): string {
  return `${String(ts)}.${sortedTokens(tokens)}.${String(title)}`;
}

export function liveActivityText(body: Body): string {
  const state = body['contentState'] as Body;
  const parts = [
    String(body['ts']),
    sortedTokens(body['tokens']),
    String(body['event']),
    orEmpty(state, 'status'),
    orEmpty(state, 'eventVersion'),
    orEmpty(state, 'updatedAt'),
    orEmpty(state, 'endedAt'),
    orEmpty(body, 'dismissalDate'),
    orEmpty(body, 'staleDate'),
  ];
  if ('title' in state || 'workingCount' in state || 'items' in state) {
    parts.push(orEmpty(state, 'title'), orEmpty(state, 'workingCount'), itemsText(state['items']));
  }
  return parts.join('.');
}

/** Members by hand, so that their order is the contract's and no accident. */
function itemsText(items: unknown): string {
  if (items === undefined) return '[]';
  const texts = (items as Body[]).map((item) => {
    const id = 'sessionID' in item ? item['sessionID'] : item['sessionId'];
    const title = 'title' in item ? String(item['title']).slice(0, 80) : '';
    const members = [
      `"sessionID":${JSON.stringify(id)}`,
      `"title":${JSON.stringify(title)}`,
      `"status":${JSON.stringify(item['status'])}`,
      `"startedAt":${JSON.stringify(item['startedAt'])}`,
      ...('endedAt' in item ? [`"endedAt":${JSON.stringify(item['endedAt'])}`] : []),
    ];
    return `{${members.join(',')}}`;
  });
  return `[${texts.join(',')}]`;
}

function sortedTokens(tokens: unknown): string {
  return [...(tokens as string[])].sort((a, b) => (a < b ? -1 : Number(a > b))).join(',');
}

function orEmpty(members: Body, name: string): string {
  return name in members ? String(members[name]) : '';
}
