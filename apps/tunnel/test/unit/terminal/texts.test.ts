import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import { formatBytes } from '../../../src/terminal/bytes-text.ts';
import { formatQrCode, qrCodeColumns } from '../../../src/terminal/qr-code.ts';

/** Black of the 256 colours, on white. */
const COLOURS = '\u001b[38;5;16;48;5;231m';
const RESET = '\u001b[0m';

describe('bytes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [999_949, '999.9 kB'],
    [999_950, '1.0 MB'],
    [1_500_000, '1.5 MB'],
    [2e9, '2.0 GB'],
    [Number.MAX_SAFE_INTEGER, '9.0 PB'],
    [1e21, '1000000.0 PB'],
  ])('%d is %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

describe('a QR code', () => {
  const link = `openchamber://pair#v=1&r=wss%3A%2F%2Frelay.example.org%2Fws&h=${'h'.repeat(43)}&k=${'k'.repeat(86)}&s=${'s'.repeat(22)}`;
  const lines = formatQrCode(link).split('\n').slice(0, -1);
  const rows = lines.flatMap((line) => {
    const blocks = line.slice(COLOURS.length, -RESET.length);
    return [
      Array.from(blocks, (block) => block === '\u2580' || block === '\u2588'),
      Array.from(blocks, (block) => block === '\u2584' || block === '\u2588'),
    ];
  });

  it('has every module where it belongs, two to a character', () => {
    const { data, size } = encode(link, { ecc: 'L', border: 4 });
    expect(rows.slice(0, size)).toEqual(data);
    expect(lines).toHaveLength(Math.ceil(size / 2));
  });

  it('has the light edge that scanners need, four modules wide', () => {
    const size = qrCodeColumns(link);
    const isDark = rows.slice(0, size).flatMap((row, y) => row.flatMap((dark, x) => (dark ? [[x, y]] : [])));
    const positions = isDark.flat();
    expect(Math.min(...positions)).toBe(4);
    expect(Math.max(...positions)).toBe(size - 5);
  });

  it('brings its own black and white, whatever the theme, and resets them on each line', () => {
    for (const line of lines) {
      expect(line.startsWith(COLOURS)).toBe(true);
      expect(line.endsWith(RESET)).toBe(true);
    }
  });

  it('fits a terminal of 80 columns', () => {
    expect(qrCodeColumns(link)).toBeLessThanOrEqual(80);
  });
});
