// A Compose file as Compose sees it, for what its containers would get.
import { parseDocument } from 'yaml';
import { interpolateAll } from './compose.interpolate.mjs';

/** Parses a file: `{ name, text, document }`, the document with anchors and merge keys resolved. */
export function parseProject(name, text) {
  // Compose reads YAML 1.2 with the merge key of 1.1.
  const parsed = parseDocument(text, { merge: true, uniqueKeys: true });
  const [fault] = [...parsed.errors, ...parsed.warnings];
  if (fault) {
    throw new Error(`${name}: ${fault.message}`);
  }
  return { name, text, document: parsed.toJS() };
}

/** The file with an operator's variables filled in; throws an InterpolationFault where Compose would refuse. */
export function resolveProject({ document }, variables) {
  return interpolateAll(document, variables);
}

/** The environment that Compose adds to a container; a name without a value is passed on where it is set. */
export function environmentOf(service, variables) {
  const entries = Object.entries(service.environment ?? {}).map(([name, value]) => [
    name,
    value === null ? variables[name] : String(value),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Which program a service runs: the entrypoint, or else the image's own. */
export function programOf(service) {
  if (service.image?.startsWith('caddy:')) {
    return 'caddy';
  }
  return service.entrypoint?.[0] ?? 'openchamber-relay';
}

/** The services of our image: `[name, service]` each. */
export function daemonsOf(project) {
  return Object.entries(project.services).filter(([, service]) => programOf(service) !== 'caddy');
}
