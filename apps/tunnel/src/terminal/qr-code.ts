import { encode } from 'uqr';

/** Light modules around the code that scanners need to find it (ISO/IEC 18004: four). */
const QUIET_ZONE = 4;

/** Black on white in colours of the 256, which no theme changes: a scanner wants the dark modules dark. */
const BLACK_ON_WHITE = '\u001b[38;5;16;48;5;231m';
const RESET = '\u001b[0m';

/** Two modules in one character, by whether the upper and the lower one is dark. */
const HALF_BLOCKS = [
  [' ', '\u2584'],
  ['\u2580', '\u2588'],
] as const;

/** A QR code for a terminal, in half blocks; with line ends. */
export function formatQrCode(text: string): string {
  const { data, size } = encode(text, { ecc: 'L', border: QUIET_ZONE });
  const isDark = (row: number, column: number): boolean => data[row]?.[column] === true;
  const lines: string[] = [];
  for (let row = 0; row < size; row += 2) {
    const blocks = Array.from({ length: size }, (_unused, column) => {
      return HALF_BLOCKS[isDark(row, column) ? 1 : 0][isDark(row + 1, column) ? 1 : 0];
    });
    lines.push(`${BLACK_ON_WHITE}${blocks.join('')}${RESET}\n`);
  }
  return lines.join('');
}

/** How many columns {@link formatQrCode} takes. */
export function qrCodeColumns(text: string): number {
  return encode(text, { ecc: 'L', border: QUIET_ZONE }).size;
}
