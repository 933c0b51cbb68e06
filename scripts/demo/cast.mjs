// The three processes of the demo: how each is started, heard and ended.
import { fork, spawn } from 'node:child_process';
import { join } from 'node:path';
import { toolEnvironment } from '../run/command.mjs';
import { root, tool } from '../run/workspace.mjs';
import { firstOf, readLine } from './first-word.mjs';

/** Host and Client on the sources of this checkout. */
const OUR_PEERS = {
  folder: join(root, 'scripts', 'demo'),
  node: tool('node'),
  nodeOptions: ['--conditions=@openchambery/source'],
};

/** Nobody on stage yet. `peers` says where host.mjs and client.mjs are, and which Node runs them, with which options. */
export function createCast(peers = OUR_PEERS) {
  const children = [];
  const add = (name, child) => {
    const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
    const member = { name, child, ended };
    children.push(member);
    return member;
  };
  const forkPeer = (name, args) =>
    add(
      name,
      fork(join(peers.folder, `${name}.mjs`), args, {
        execPath: peers.node,
        execArgv: peers.nodeOptions,
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      }),
    );

  return {
    /** Resolves to the URL of the relay. */
    async startRelay({ command, port, env }) {
      const variables = withoutRelayVariables(toolEnvironment(env));
      const args = ['--port', String(port), '--json'];
      const relay = add(
        'relay',
        spawn(command, args, { env: variables, stdio: ['ignore', 'pipe', 'inherit'] }),
      );
      const line = await firstOf(relay, (done) => readLine(relay.child, done));
      const started = JSON.parse(line);
      if (started.status !== 'ok') {
        throw new Error(started.error);
      }
      return started.url;
    },

    /** Resolves to `{ serverId, hostEncPubJwk }`: how the Host can be reached, and what it is recognised by. */
    async startHost(url) {
      const host = forkPeer('host', [url]);
      return firstOf(host, (done) => host.child.once('message', done));
    },

    /** Resolves when the whole file has come back. */
    async runClient({ url, host, sent, received, onProgress }) {
      const { serverId, hostEncPubJwk } = host;
      const client = forkPeer('client', [url, serverId, JSON.stringify(hostEncPubJwk), sent, received]);
      client.child.on('message', ({ receivedBytes }) => onProgress(receivedBytes));
      const { code } = await client.ended;
      if (code !== 0) {
        throw new Error(`the client ended with exit code ${code}`);
      }
    },

    /** Ends all properly; a relay that does not end with 0 is a fault. */
    async stop() {
      for (const { name, child, ended } of children.toReversed()) {
        child.kill('SIGTERM');
        const { code } = await ended;
        if (name === 'relay' && code !== 0) {
          throw new Error(`the relay ended with exit code ${code}`);
        }
      }
    },

    /** Ends all at once. */
    kill() {
      for (const { child } of children) {
        child.kill('SIGKILL');
      }
    },
  };
}

/** The demo is the same for everybody, whatever relay the shell is set up for. */
function withoutRelayVariables(env) {
  const others = Object.entries(env).filter(([name]) => !name.startsWith('OPENCHAMBER_RELAY_SERVER_'));
  return { ...Object.fromEntries(others), OPENCHAMBER_RELAY_SERVER_LOG_LEVEL: 'warn' };
}
