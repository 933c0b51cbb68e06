// Whether the daemon of this container is well: exit code 0 when its /healthz answers 200, else 1 and a line why.
// One image has two daemons; the first process of the container says which one it is, and where it listens is read as
// the daemon itself reads it: flag, then variable, then default.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { basename } from 'node:path';

const DAEMONS = {
  'openchamber-relay': { prefix: 'OPENCHAMBER_RELAY_SERVER_', port: '8787' },
  'openchamber-push-relay': { prefix: 'OPENCHAMBER_PUSH_RELAY_', port: '8788' },
};
// Less than the timeout of the image's HEALTHCHECK, so that the reason is still told.
const ANSWER_WITHIN_MS = 4000;

// With `init: true` the first process is Docker's init; the daemon's name is among its arguments all the same.
const words = readFileSync('/proc/1/cmdline', 'utf8').split('\0').slice(0, -1);
const start = words.findIndex((word) => basename(word, '.js') in DAEMONS);
if (start === -1) {
  end(`neither of ${Object.keys(DAEMONS).join(', ')} runs here`);
}
const { prefix, port: defaultPort } = DAEMONS[basename(words[start], '.js')];
const port = given('port') ?? defaultPort;
const host = reachable(given('host') ?? '127.0.0.1');

const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/healthz`;
request(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
  .on('response', ({ statusCode }) =>
    statusCode === 200 ? process.exit(0) : end(`${url} answers ${statusCode}`),
  )
  .on('error', (error) => end(`${url}: ${error.message}`))
  .end();

/** A flag of the daemon (`--port 9000` or `--port=9000`), or else its variable; blank means unset. */
function given(name) {
  const flag = `--${name}`;
  const flags = words.slice(start + 1);
  const joined = flags.findLast((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
  const value = joined ?? (flags.includes(flag) ? flags[flags.lastIndexOf(flag) + 1] : undefined);
  return value ?? (process.env[`${prefix}${name.toUpperCase()}`]?.trim() || undefined);
}

/** "Any address" is nothing to connect to. */
function reachable(host) {
  return { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
}

function end(reason) {
  process.stderr.write(`unhealthy: ${reason}\n`);
  process.exit(1);
}
