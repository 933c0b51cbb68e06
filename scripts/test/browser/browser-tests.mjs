// The tests that drive a real browser. CI installs one where it is missing, like all that a check of ours needs.
import { run } from '../../run/command.mjs';
import { runVitest } from '../vitest-stage.mjs';
import { findChromium } from './chromium.mjs';

/** Whether this is a machine on which we may install what we lack. */
const mayInstall = process.env.CI === 'true' && process.getuid?.() === 0;

/** Installs Chromium where that is ours to do and there is none; what has gone wrong shows when it is needed. */
export async function installChromium() {
  if (!mayInstall || findChromium() !== undefined) return { passed: 0, failed: 0 };
  const steps = [
    ['-qq', 'update'],
    ['-qq', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', 'install', 'chromium'],
  ];
  for (const step of steps) {
    const { code, output } = await run('apt-get', step, { env: { DEBIAN_FRONTEND: 'noninteractive' } });
    if (code !== 0) process.stdout.write(`apt-get ${step.join(' ')} failed\n${output}`);
  }
  return { passed: 0, failed: 0 };
}

/** Resolves to `{ passed, failed, skipped? }`; a browser that is missing, and cannot be installed, counts as one skipped. */
export async function checkInBrowser() {
  await installChromium();
  const path = findChromium();
  if (path !== undefined) return await runVitest('browser', { env: { CHROMIUM_PATH: path } });
  process.stdout.write(
    'SKIPPED the tests in a browser: no Chromium here (install it, or set CHROMIUM_PATH)\n',
  );
  return mayInstall ? { passed: 0, failed: 1 } : { passed: 0, failed: 0, skipped: 1 };
}
