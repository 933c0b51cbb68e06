// What every Compose file has to keep to. A rule gets `{ file, promise, project, settings, root }` (the file as parsed, and as
// Compose would have it with everything required set) and returns its faults.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { embed } from './compose.embed.mjs';
import { environmentFaults, limitFaults, secretFaults } from './compose.rules.environment.mjs';
import { hardeningFaults } from './compose.rules.hardening.mjs';
import { InterpolationFault } from './compose.interpolate.mjs';
import { daemonsOf, programOf, resolveProject } from './compose.project.mjs';
import { schemaFaults } from './compose.schema.mjs';

export const RULES = [
  { name: 'is valid by the schema of Compose', find: ({ project }) => schemaFaults(project) },
  { name: 'has the services that are promised', find: serviceFaults },
  { name: 'names no variable that nothing reads', find: environmentFaults },
  { name: 'lets every limit be set by its own name', find: limitFaults },
  { name: 'gives the key to push only', find: secretFaults },
  { name: 'hardens every service', find: hardeningFaults },
  { name: 'lets nobody in but through 127.0.0.1 or Caddy', find: doorFaults },
  { name: 'pins what others publish, and needs to be told our image', find: imageFaults },
  { name: 'refuses to start without what is required', find: requirementFaults },
  { name: 'opens Caddy when all is healthy', find: orderFaults },
  { name: 'embeds the Caddyfile of deploy/caddy, byte for byte', find: caddyfileFaults },
];

function serviceFaults({ project, promise }) {
  const found = Object.keys(project.services);
  const differ =
    found.length !== promise.services.length || promise.services.some((name) => !found.includes(name));
  return differ ? [`services are ${found.join()}, not ${promise.services.join()}`] : [];
}

function isRemote(promise) {
  return promise.caddyfile !== undefined;
}

function doorFaults({ project, promise }) {
  const faults = [];
  const isInternal = (network) => project.networks?.[network]?.internal === true;
  const users = (network) =>
    Object.values(project.services).filter((service) => service.networks?.includes(network));
  for (const [name, service] of Object.entries(project.services)) {
    const ports = service.ports ?? [];
    if (programOf(service) === 'caddy') {
      if (ports.join() !== '80:80,443:443') faults.push(`${name} publishes ${ports.join()}`);
      if (!service.networks.some(isInternal)) faults.push(`${name} is not in the internal network`);
    } else if (isRemote(promise)) {
      if (ports.length > 0) faults.push(`${name} publishes ${ports.join()}`);
      const outward = (service.networks ?? ['default']).filter((network) => !isInternal(network));
      // A network of its own is a way out and no way in.
      const shared = outward.filter((network) => network === 'default' || users(network).length > 1);
      if (shared.length > 0) faults.push(`${name} can be reached in ${shared.join()}`);
      if (programOf(service) === 'openchamber-relay' && outward.length > 0)
        faults.push(`${name} has a way out: ${outward.join()}`);
    } else if (ports.length !== 1 || !ports.every((port) => /^127\.0\.0\.1:\d+:\d+$/.test(port))) {
      faults.push(`${name} publishes ${ports.join() || 'nothing'}`);
    }
  }
  return faults;
}

function imageFaults({ file, project, promise }) {
  const faults = Object.entries(project.services)
    .filter(([, service]) => programOf(service) === 'caddy')
    .filter(([, { image }]) => !/^[^@]+:[^@]+@sha256:[0-9a-f]{64}$/.test(image))
    .map(([name, { image }]) => `${name}: ${image} is not pinned by tag and digest`);
  for (const [name, service] of daemonsOf(file.document)) {
    if (isRemote(promise)) {
      const isOurs = /^\$\{OPENCHAMBER_RELAY_IMAGE:\?[^}]+\}$/.test(service.image ?? '') && !service.build;
      if (!isOurs) faults.push(`${name}: the image is not OPENCHAMBER_RELAY_IMAGE, required`);
    } else if (
      service.build?.dockerfile !== 'Dockerfile.relay' ||
      service.image !== 'openchamber-relay:local'
    ) {
      faults.push(`${name} is not built here`);
    }
  }
  return faults;
}

/** Each of what is required, left out or blank, is refused by its name; with all of them Compose starts. */
function requirementFaults({ file, promise }) {
  return Object.keys(promise.required).flatMap((name) =>
    [undefined, ''].flatMap((value) => {
      try {
        resolveProject(file, { ...promise.required, [name]: value });
        return [`starts with ${name} ${value === '' ? 'blank' : 'unset'}`];
      } catch (error) {
        if (!(error instanceof InterpolationFault)) throw error;
        return error.message.startsWith(`${name} is required: `) ? [] : [error.message];
      }
    }),
  );
}

function orderFaults({ project }) {
  const caddy = Object.values(project.services).find((service) => programOf(service) === 'caddy');
  return caddy === undefined
    ? []
    : daemonsOf(project)
        .filter(([name]) => caddy.depends_on?.[name]?.condition !== 'service_healthy')
        .map(([name]) => `Caddy does not wait until ${name} is healthy`);
}

function caddyfileFaults({ file, project, promise, root }) {
  if (promise.caddyfile === undefined) {
    return project.configs ? ['there is a config that nobody promised'] : [];
  }
  const caddyfile = readFileSync(join(root, promise.caddyfile), 'utf8');
  const { configs: [mount] = [], environment = {} } = project.services.caddy ?? {};
  const told = ['RELAY_DOMAIN', 'ACME_EMAIL'].filter((name) => environment[name] !== promise.required[name]);
  const shown = project.services.relay?.environment?.OPENCHAMBER_RELAY_SERVER_PUBLIC_URL;
  return [
    ...(project.configs?.caddyfile?.content === caddyfile && file.text === embed(file.text, caddyfile)
      ? []
      : [`differs from ${promise.caddyfile}: run node scripts/test/deploy/compose.embed.mjs`]),
    ...(mount?.source === 'caddyfile' && mount.target === '/etc/caddy/Caddyfile'
      ? []
      : ['Caddy does not get it where it looks']),
    ...told.map((name) => `Caddy is not told ${name}`),
    ...(shown === `wss://${promise.required.RELAY_DOMAIN}/ws` ? [] : [`the relay calls itself ${shown}`]),
  ];
}
