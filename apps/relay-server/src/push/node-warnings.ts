/**
 * Keeps Node.js from telling that a part of it is experimental, as 22 does of node:sqlite: nothing an operator can do
 * about, and the one line about a failed start would have company. Call it before such a part is loaded.
 */
export function hideExperimentalWarnings(): void {
  const listeners = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning') return;
    for (const listener of listeners) listener(warning);
  });
}
