// Rules about variables and the key.
import { referencesIn } from './compose.interpolate.mjs';
import { daemonsOf, environmentOf, programOf, resolveProject } from './compose.project.mjs';

const APNS = 'OPENCHAMBER_PUSH_RELAY_APNS_';
const SECRET_PATH = '/run/secrets/apns_p8';
// Behind Caddy, or behind a published port, there is one TCP peer: the default of 128 would be everybody's limit.
const DELIBERATE = { OPENCHAMBER_RELAY_SERVER_MAX_RAW_SOCKETS_PER_IP: '4096' };

/** Whatever is named is read by somebody: by Compose, by the program in the container, or by the Caddyfile. */
export function environmentFaults({ file, project, promise, settings }) {
  const faults = [];
  const { configs: _ofCaddy, ...ours } = file.document;
  const referred = new Set(referencesIn(JSON.stringify(ours)));
  const known = new Set([...settings.deployment, ...settings.relay, ...settings.push]);
  for (const name of [...referred, ...(file.text.match(/\bOPENCHAMBER_[A-Z0-9_]*[A-Z0-9]\b/g) ?? [])]) {
    if (!known.has(name) && !settings.ofHosts.includes(name)) faults.push(`nothing reads ${name}`);
  }
  for (const [name, service] of Object.entries(project.services)) {
    const read = readBy(service, { isPush: promise.push.includes(name), settings, project });
    const unread = Object.keys(service.environment ?? {}).filter((variable) => !read.includes(variable));
    if (unread.length > 0) faults.push(`${name} does not read ${unread.join()}`);
  }
  return [...faults, ...trustFaults({ project, promise })];
}

function readBy(service, { isPush, settings, project }) {
  switch (programOf(service)) {
    case 'openchamber-relay':
      return isPush ? [...settings.relay, ...settings.push] : settings.relay;
    case 'openchamber-push-relay':
      return settings.push;
    case 'caddy':
      return [...project.configs.caddyfile.content.matchAll(/\{\$(\w+)/g)].map(([, name]) => name);
    default:
      return [];
  }
}

/** Behind Caddy the daemons count Clients by the address that Caddy reports, and else only when told to. */
function trustFaults({ project, promise }) {
  const isBehindCaddy = promise.caddyfile !== undefined;
  return daemonsOf(project).flatMap(([name, service]) => {
    const prefix =
      programOf(service) === 'openchamber-relay' ? 'OPENCHAMBER_RELAY_SERVER_' : 'OPENCHAMBER_PUSH_RELAY_';
    const trust = environmentOf(service, {})[`${prefix}TRUST_PROXY`];
    return trust === (isBehindCaddy ? 'true' : undefined) ? [] : [`${name} has TRUST_PROXY ${trust}`];
  });
}

/** A limit that is set arrives under its own name; one that is not, or is blank, leaves the default alone. */
export function limitFaults({ file, promise, settings }) {
  return daemonsOf(file.document).flatMap(([name, service]) => {
    const limits =
      programOf(service) === 'openchamber-push-relay'
        ? settings.pushLimits
        : [...settings.relayLimits, ...(promise.push.includes(name) ? settings.pushLimits : [])];
    return limits.flatMap((limit, index) => {
      const got = (given) => {
        const variables = { ...promise.required, ...given };
        return environmentOf(resolveProject(file, variables).services[name], variables)[limit];
      };
      const probe = String(1000 + index);
      return [
        ...(got({ [limit]: probe }) === probe ? [] : [`${name} does not pass ${limit} on`]),
        ...(got({}) === DELIBERATE[limit] ? [] : [`${name} sets ${limit} to ${got({})}`]),
        ...((got({ [limit]: '' }) || undefined) === DELIBERATE[limit]
          ? []
          : [`${name}: blank ${limit} counts`]),
      ];
    });
  });
}

/** Whatever the operator's shell holds: a relay without push gets nothing about Apple, and the key is never a variable. */
export function secretFaults({ file, promise, settings }) {
  const everything = Object.fromEntries(
    [...settings.push, ...settings.deployment].map((name) => [name, '1']),
  );
  const variables = { ...everything, ...promise.required };
  const project = resolveProject(file, variables);
  const faults = [];
  for (const [name, service] of Object.entries(project.services)) {
    const environment = environmentOf(service, variables);
    if (promise.push.includes(name)) {
      faults.push(...pushFaults(name, { service, environment }));
    } else {
      const about = Object.keys(environment).filter((variable) => variable.startsWith('OPENCHAMBER_PUSH_'));
      if (about.length > 0) faults.push(`${name} gets ${about.join()}`);
      if (service.secrets) faults.push(`${name} gets a secret`);
    }
    if (service.env_file) faults.push(`${name} gets a whole file of variables`);
  }
  return [...faults, ...keyFaults(project, promise)];
}

function pushFaults(name, { service, environment }) {
  return [
    ...(environment[`${APNS}P8`] === undefined ? [] : [`${name} gets the key as a variable`]),
    ...(environment[`${APNS}P8_PATH`] === SECRET_PATH ? [] : [`${name} looks for the key elsewhere`]),
    ...(service.secrets?.join() === 'apns_p8' ? [] : [`${name} does not get the secret`]),
    ...(service.volumes?.join() === 'push-data:/data'
      ? []
      : [`${name} does not keep its database in a volume`]),
    ...(environment.OPENCHAMBER_PUSH_RELAY_DATABASE_PATH?.startsWith('/data/')
      ? []
      : [`${name} keeps its database elsewhere`]),
  ];
}

function keyFaults(project, promise) {
  const path = promise.required.OPENCHAMBER_PUSH_RELAY_APNS_P8_FILE;
  const secrets = JSON.stringify(project.secrets);
  const wanted = promise.push.length > 0 ? JSON.stringify({ apns_p8: { file: path } }) : undefined;
  return secrets === wanted ? [] : [`the secrets are ${secrets}`];
}
