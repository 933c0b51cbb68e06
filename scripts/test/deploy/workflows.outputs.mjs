/** The outputs that the head of a script names. */
export function outputsOf(source) {
  const list = /^\/\/ Outputs: ([^\n]*)$/m.exec(source)?.[1] ?? '';
  return list
    .replaceAll(/\([^)]*\)/g, '')
    .split(/[,.\s]+/)
    .filter((name) => name !== '');
}
