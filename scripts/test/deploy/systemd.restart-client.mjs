// Restarts a unit while it asks the relay for its health over ever new connections, and prints what it got:
//   node systemd.restart-client.mjs openchamber-relay.service http://127.0.0.1:8787/healthz
import { spawn } from 'node:child_process';
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const [unit, url] = process.argv.slice(2);
const outcomes = {};

function ask() {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume();
      response.once('end', () => resolve(String(response.statusCode)));
      response.once('error', (error) => resolve(error.code));
    });
    request.once('error', (error) => resolve(error.code));
  });
}

const ended = new AbortController();
const restart = spawn('systemctl', ['restart', unit], { stdio: 'inherit' });
restart.once('exit', () => ended.abort());
const asked = [];
while (!ended.signal.aborted) {
  asked.push(ask());
  await delay(5);
}
for (const outcome of await Promise.all(asked)) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
process.stdout.write(JSON.stringify({ exitCode: restart.exitCode, outcomes }));
