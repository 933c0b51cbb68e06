import { playRound } from './round.ts';
import type { Sabotage } from './sabotage.ts';
import { sabotageTarget } from './sabotage.ts';
import { startTarget } from './target.ts';

const CASES = 600;
const FIRST_SEED = 1_000_000;
/** Longer than a delivery may take, or each of those would be a fault. */
const ANSWER_MS = 8000;

const TOKEN = /"token":"([\da-f]{64,})"/iu;
const TITLE = /"title":"(?:[^"\w]*)([A-Za-z]\d[A-Za-z0-9]{14})/u;
const SIGNATURE = /"sig":"([\w-]{86})"/u;

const SABOTAGES: readonly Sabotage[] = [
  {
    name: 'the beginning of a token in the log, in capitals',
    told: /stderr holds a marker/u,
    log: (request) => TOKEN.exec(request)?.[1]?.slice(0, 14).toUpperCase(),
  },
  {
    name: 'the middle of a token in the log',
    told: /stderr holds a marker/u,
    log: (request) => TOKEN.exec(request)?.[1]?.slice(17, 17 + 23),
  },
  {
    name: 'a title in the log, within base64',
    told: /stderr holds a marker/u,
    log: (request) => {
      const title = TITLE.exec(request)?.[1];
      return title === undefined ? undefined : Buffer.from(`title: ${title}`).toString('base64url');
    },
  },
  {
    name: 'a title in the log, in hexadecimal',
    told: /stderr holds a marker/u,
    log: (request) => {
      const title = TITLE.exec(request)?.[1];
      return title === undefined ? undefined : Buffer.from(title).toString('hex');
    },
  },
  {
    name: 'a header in the log',
    told: /stderr holds a marker/u,
    log: (request) => /cookie: (?:\S+ \S+=)?(\w{16})/u.exec(request)?.[1],
  },
  {
    name: 'a provider token in the log',
    told: /stderr matches/u,
    log: () => 'eyJhbGciOiJFUzI1NiJ9',
  },
  {
    name: 'a signature in the header of an answer',
    told: /header \["x-request"/u,
    answer: (answer, request) => {
      const signature = SIGNATURE.exec(request)?.[1];
      return signature === undefined ? answer : answer.replace('\r\n', `\r\nX-Request: ${signature}\r\n`);
    },
  },
  {
    name: 'a reason beside the error',
    told: /body "\{/u,
    answer: (answer) =>
      answer.replace(
        /content-length: 27(.*)\{"error":"invalid_request"\}/su,
        'content-length: 38$1{"error":"invalid_request","at":"sig"}',
      ),
  },
  {
    name: 'an error with the status of another',
    told: /with status 400/u,
    answer: (answer) => answer.replace(/HTTP\/1\.1 401 \w+/u, 'HTTP/1.1 400 Bad Request'),
  },
  {
    name: 'an answer that may be cached',
    told: /no cache-control/u,
    answer: (answer) => answer.replace('cache-control: no-store\r\n', ''),
  },
  {
    name: 'a wrong signature that passes',
    told: /ok where invalid_signature is due/u,
    answer: (answer) =>
      answer.replace(
        /HTTP\/1\.1 401 Unauthorized(.*)content-length: 29(.*)\{"error":"invalid_signature"\}/su,
        'HTTP/1.1 200 OK$1content-length: 11$2{"ok":true}',
      ),
  },
  { name: 'no answer', told: /no answer; got/u, answer: () => undefined },
  { name: 'a connection that is cut', told: /the stream ended/u, onRequest: 'cut' },
  { name: 'a process that dies', told: /the process has ended/u, onRequest: 'kill the process' },
  { name: 'connections that stay', told: /descriptors more than before/u, onLeave: 'keep the connection' },
];

/** Breaks what the fuzz sees in one way after the other, and tells which it did not notice. Gives an exit code. */
export async function selfTest(print: (line: string) => void): Promise<number> {
  let missed = 0;
  for (const sabotage of SABOTAGES) {
    const target = await sabotageTarget(await startTarget('standalone'), sabotage);
    try {
      const options = {
        target,
        firstSeed: FIRST_SEED,
        cases: CASES,
        answerMs: ANSWER_MS,
        onFault: () => undefined,
      };
      const { faults } = await playRound(options);
      const noticed = faults.find((fault) => sabotage.told.test(fault));
      if (noticed === undefined) missed += 1;
      print(
        `${noticed === undefined ? 'MISSED' : 'noticed'}: ${sabotage.name}: ${(noticed ?? faults.join('; ')).slice(0, 160)}`,
      );
    } finally {
      await target.close();
    }
  }
  print(`self-test: ${SABOTAGES.length} ways to break, ${missed} missed`);
  return missed === 0 ? 0 : 1;
}
