// Rules about what a container may do.
import { programOf } from './compose.project.mjs';

const FORBIDDEN = [
  'privileged',
  'network_mode',
  'pid',
  'ipc',
  'devices',
  'userns_mode',
  'cgroup',
  'extra_hosts',
];

/** Every service, Caddy included, with the two exceptions that Caddy needs. */
export function hardeningFaults({ project }) {
  return Object.entries(project.services).flatMap(([name, service]) =>
    promisesOf(service, project)
      .filter(([, holds]) => !holds)
      .map(([promise]) => `${name}: not so: ${promise}`),
  );
}

function promisesOf(service, project) {
  const isCaddy = programOf(service) === 'caddy';
  const { healthcheck = {}, logging = {} } = service;
  return [
    // Compose refuses to copy an inline config into a container whose root is read-only.
    ['read_only', service.read_only === !hasInlineConfig(service, project)],
    ['cap_drop ALL', service.cap_drop?.join() === 'ALL'],
    [
      'cap_add only for ports below 1024',
      (service.cap_add ?? []).join() === (isCaddy ? 'NET_BIND_SERVICE' : ''),
    ],
    ['no-new-privileges', service.security_opt?.join() === 'no-new-privileges:true'],
    ['a bounded tmpfs at /tmp', /^\/tmp:(.*,)?size=\d+m\b/.test(service.tmpfs?.join() ?? '')],
    ['an ordinary user', isCaddy || service.user === 'node'],
    ['stop_grace_period 30s', service.stop_grace_period === '30s'],
    ['restart unless-stopped', service.restart === 'unless-stopped'],
    [
      'a health check',
      healthcheck.test?.[0] === 'CMD' && 'interval' in healthcheck && 'timeout' in healthcheck,
    ],
    ['a health check while it starts', 'start_period' in healthcheck && healthcheck.disable !== true],
    ['a bound on processes', service.pids_limit > 0],
    ['a bound on memory', /^\d+[mg]$/.test(service.mem_limit ?? '')],
    ['a bound on open files', service.ulimits?.nofile > 0],
    ['logs that rotate', 'max-size' in (logging.options ?? {}) && 'max-file' in (logging.options ?? {})],
    [`none of ${FORBIDDEN.join()}`, FORBIDDEN.every((key) => !(key in service))],
    ["no file or folder of the machine's", (service.volumes ?? []).every((volume) => /^[a-z]/.test(volume))],
  ];
}

function hasInlineConfig(service, project) {
  return (service.configs ?? []).some(({ source }) => project.configs?.[source]?.content !== undefined);
}
