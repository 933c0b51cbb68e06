// The Compose files, and what is promised about each.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../run/workspace.mjs';
import { parseProject } from './compose.project.mjs';

const APPLE = {
  OPENCHAMBER_PUSH_RELAY_APNS_KEY_ID: 'ABC123DEFG',
  OPENCHAMBER_PUSH_RELAY_APNS_TEAM_ID: 'DEF123GHIJ',
  OPENCHAMBER_PUSH_RELAY_APNS_P8_FILE: '/srv/AuthKey_ABC123DEFG.p8',
};
const REMOTE = {
  OPENCHAMBER_RELAY_IMAGE: `docker.io/example/openchamber-relay:1.2.3@sha256:${'0'.repeat(64)}`,
  RELAY_DOMAIN: 'relay.example.org',
  ACME_EMAIL: 'you@example.org',
};

/** By file: the services, those among them that serve push, what has to be set (with an example), and for those with Caddy its configuration. */
export const PROMISES = {
  'docker-compose.relay.yml': { services: ['relay'], push: [], required: {} },
  'docker-compose.relay-push.yml': { services: ['relay', 'push'], push: ['push'], required: APPLE },
  'docker-compose.relay-combined.yml': {
    services: ['relay-with-push'],
    push: ['relay-with-push'],
    required: APPLE,
  },
  'docker-compose.relay.remote.yml': {
    services: ['relay', 'caddy'],
    push: [],
    required: REMOTE,
    caddyfile: 'deploy/caddy/relay.caddyfile',
  },
  'docker-compose.relay-push.remote.yml': {
    services: ['relay', 'push', 'caddy'],
    push: ['push'],
    required: { ...REMOTE, ...APPLE },
    caddyfile: 'deploy/caddy/relay-push.caddyfile',
  },
};

/** All Compose files of the checkout by name; one that nobody has promised anything about is there as well. */
export function composeFileNames() {
  return readdirSync(root).filter((name) => /^(docker-)?compose.*\.ya?ml$/.test(name));
}

/** Reads and parses one file. */
export function readProject(name) {
  return parseProject(name, readFileSync(join(root, name), 'utf8'));
}
