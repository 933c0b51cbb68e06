// A line of progress, for people only: a log file is spared.

/** Shows how much of `total` bytes has come back. */
export function createProgress(total) {
  const isTerminal = process.stdout.isTTY;
  const write = (text) => isTerminal && process.stdout.write(text);
  return {
    show: (bytes) => {
      const share = bytes / total;
      const bar = '#'.repeat(Math.floor(share * 40)).padEnd(40, '.');
      write(`\r[${bar}] ${Math.floor(share * 100)} %`);
    },
    end: () => {
      write('\n');
    },
  };
}
