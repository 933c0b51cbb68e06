// The JSON schema of the Compose specification, from the package that ships the newest.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';

const manifest = createRequire(import.meta.url).resolve('dclint/package.json');
const { $schema: _dialect, ...schema } = JSON.parse(
  readFileSync(join(dirname(manifest), 'schemas', 'compose.schema.json'), 'utf8'),
);
// Not strict: the schema names formats of Compose's own, such as durations.
const validate = new Ajv({ strict: false, allErrors: true, logger: false }).compile(schema);

/** What the schema has against a file whose values are filled in. */
export function schemaFaults(project) {
  return validate(project)
    ? []
    : validate.errors.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
}
