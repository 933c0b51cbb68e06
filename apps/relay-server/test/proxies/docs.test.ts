import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readDeployFile } from './support/deploy-file.ts';

// What a page of docs/deploy shows is the file that operators copy and that the other tests here run.

const root = new URL('../../../../', import.meta.url);

describe.each(['caddy', 'nginx', 'haproxy'])('docs/deploy/%s.md', (kind) => {
  const page = readFileSync(new URL(`docs/deploy/${kind}.md`, root), 'utf8');
  const blocks = [...page.matchAll(/^```[a-z]+\n(.*?)^```$/gmsu)].map(([, text]) => text);
  const files = readdirSync(new URL(`deploy/${kind}/`, root));

  it.each(files)('shows %s as it is', (file) => {
    expect(blocks).toContain(readDeployFile(`${kind}/${file}`));
  });
});
