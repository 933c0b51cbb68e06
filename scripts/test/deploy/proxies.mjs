// The files of deploy/ in nginx, Caddy and HAProxy as the distribution packages them, with the real daemons behind.
import { run } from '../../run/command.mjs';
import { runVitest } from '../vitest-stage.mjs';

const PROXIES = ['caddy', 'haproxy', 'nginx'];

/** Resolves to `{ passed, failed, skipped }`; a proxy that is missing, and cannot be installed, counts as one skipped. */
export async function checkProxies() {
  let missing = await findMissing();
  if (missing.length > 0 && process.env.CI === 'true' && process.getuid?.() === 0) {
    await install(missing);
    missing = await findMissing();
    if (missing.length > 0) return { passed: 0, failed: missing.length };
  }
  for (const name of missing) {
    process.stdout.write(`SKIPPED ${name}: it is not installed (apt-get install ${name})\n`);
  }
  return { ...(await runVitest('proxies')), skipped: missing.length };
}

async function findMissing() {
  const found = await Promise.all(
    PROXIES.map((name) => run('sh', ['-c', 'PATH="$PATH:/usr/sbin" command -v "$0"', name])),
  );
  return PROXIES.filter((_name, index) => found[index].code !== 0);
}

/** The proxies only, without starting them as services. */
async function install(names) {
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const steps = [
    ['-qq', 'update'],
    ['-qq', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', 'install', ...names],
  ];
  for (const step of steps) {
    const { code, output } = await run('apt-get', step, { env });
    if (code !== 0) process.stdout.write(`apt-get ${step.join(' ')} failed\n${output}`);
  }
}
