// The example of an env file: whatever it names is read, and whatever it claims as a default is one.
import { referencesIn } from './compose.interpolate.mjs';

/** Faults of `text`; `texts` are the Compose files. */
export function exampleFaults(text, { texts, settings, required }) {
  const entries = [...text.matchAll(/^(?<comment>#?)(?<name>[A-Z][A-Z0-9_]*)=(?<value>.*)$/gm)].map(
    ({ groups }) => groups,
  );
  const used = new Set(texts.flatMap((file) => [...referencesIn(file), ...passedOn(file)]));
  const inFiles = new Map(
    texts
      .flatMap((file) => [...file.matchAll(/\$\{(?<name>\w+):-(?<value>[^}]*)\}/g)])
      .map(({ groups }) => [groups.name, groups.value]),
  );
  const named = entries.map(({ name }) => name);
  return [
    ...entries.filter(({ name }) => !used.has(name)).map(({ name }) => `no file reads ${name}`),
    ...entries
      .filter(({ comment, value }) => comment === '' && value !== '')
      .map(({ name }) => `${name} is filled in`),
    ...entries
      .filter(({ comment }) => comment === '#')
      .filter(({ name, value }) => !isDefault(name, value))
      .map(({ name, value }) => `${value} is not the default of ${name}`),
    ...[...required, ...settings.deployment]
      .filter((name) => !named.includes(name))
      .map((name) => `it lacks ${name}`),
  ];

  // TRUST_PROXY is there to be turned on; its default is off.
  function isDefault(name, value) {
    return name.endsWith('_TRUST_PROXY')
      ? value === 'true'
      : value === (inFiles.get(name) ?? settings.defaults.get(name));
  }
}

/** Names without a value: passed on to the container. */
function passedOn(text) {
  return [...text.matchAll(/^ +(?<name>[A-Z][A-Z0-9_]*):$/gm)].map(({ groups }) => groups.name);
}
