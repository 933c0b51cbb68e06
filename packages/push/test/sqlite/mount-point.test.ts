import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isMountPoint, listsMountPoint } from '../../src/sqlite/mount-point.ts';
import { temporaryFolder } from './support.ts';

/** A mount of its own, which goes with the process. */
const UNSHARE = ['--map-root-user', '--mount'];

/** Not every kernel lets an ordinary user do so. */
function canMount(): boolean {
  return spawnSync('unshare', [...UNSHARE, 'mount', '--bind', '/tmp', '/tmp']).status === 0;
}

const TABLE = [
  '22 1 0:20 / / rw,relatime shared:1 - overlay overlay rw',
  '45 22 8:1 /srv/push.sqlite /data/push.sqlite rw,relatime - ext4 /dev/sda1 rw',
  '46 22 8:1 /srv/with\\040blank /data/with\\040blank\\134 rw,relatime - ext4 /dev/sda1 rw',
  '',
].join('\n');

describe('listsMountPoint', () => {
  it('knows a file that is mounted by itself', () => {
    expect(listsMountPoint(TABLE, '/data/push.sqlite')).toBe(true);
    expect(listsMountPoint(TABLE, '/data/with blank\\')).toBe(true);
  });

  it('is not misled by where the mount comes from, nor by a path that begins alike', () => {
    for (const path of ['/srv/push.sqlite', '/data', '/data/push.sqlite.lock', '/data/push'])
      expect(listsMountPoint(TABLE, path)).toBe(false);
  });
});

describe('isMountPoint', () => {
  it('knows a real mount, and that a file in a folder is none', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(isMountPoint(file)).toBe(false);
    expect(isMountPoint('/dev')).toBe(spawnSync('mountpoint', ['-q', '/dev']).status === 0);
  });

  it.runIf(canMount())('knows a file that is bound over another of the same file system', () => {
    const folder = temporaryFolder();
    const [source, target] = [join(folder, 'source'), join(folder, 'elsewhere', 'target')];
    mkdirSync(dirname(target));
    for (const file of [source, target]) writeFileSync(file, '');
    const module = fileURLToPath(new URL('../../src/sqlite/mount-point.ts', import.meta.url));
    const program = `import { isMountPoint } from ${JSON.stringify(module)};
      for (const file of process.argv.slice(1)) console.log(isMountPoint(file));`;
    const script = 'mount --bind "$2" "$3" && exec "$0" --input-type=module -e "$1" "$2" "$3"';
    const args = [...UNSHARE, 'sh', '-c', script, process.execPath, program, source, target];
    expect(execFileSync('unshare', args, { encoding: 'utf8' })).toBe('false\ntrue\n');
  });
});
