import type { Surroundings } from '../cli/surroundings.ts';
import { formatQrCode, qrCodeColumns } from '../terminal/qr-code.ts';

/** How a link is shown. */
export interface LinkStyle {
  /** Also where stdout is no terminal. */
  readonly wantsQrCode: boolean;
}

/** A link on a line of its own, and its QR code where it can be scanned; for people. */
export function formatLink(link: string, style: LinkStyle, surroundings: Surroundings): string {
  const columns = surroundings.stdoutColumns();
  const alone = `\n${link}\n\n`;
  if (!style.wantsQrCode && columns === undefined) return alone;
  const needed = qrCodeColumns(link);
  if (columns !== undefined && columns < needed) {
    return `${alone}(The QR code needs a terminal of ${needed} columns; this one has ${columns}.)\n\n`;
  }
  return `${alone}${formatQrCode(link)}\n`;
}
