/** A text whose contrast is too low, for a person to find it. */
export interface PaleText {
  readonly text: string;
  readonly color: string;
  readonly background: string;
  readonly ratio: number;
}

/**
 * Runs in a page: every visible text whose contrast with what is behind it is less than 4.5 (WCAG 2, 1.4.3). Texts of
 * disabled controls count too, though they need not.
 */
export function findPaleTexts(): readonly PaleText[] {
  const least = 4.5;
  const parse = (color: string): readonly number[] => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    if (canvas === null) throw new Error('no canvas');
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = parse(color).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (element: Element | null): string => {
    if (element === null)
      return getComputedStyle(document.documentElement).colorScheme === 'dark' ? '#000' : '#fff';
    const { backgroundColor } = getComputedStyle(element);
    return parse(backgroundColor)[3] === 255 ? backgroundColor : backgroundOf(element.parentElement);
  };
  const contrast = (one: string, other: string): number => {
    const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const judge = (element: Element, text: string, pseudo?: string): PaleText[] => {
    const color = getComputedStyle(element, pseudo).color;
    const background = backgroundOf(element);
    const ratio = contrast(color, background);
    return ratio < least ? [{ text, color, background, ratio }] : [];
  };
  return [...document.body.querySelectorAll('*')].flatMap((element) => {
    if (!element.checkVisibility()) return [];
    const own = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
    const text = own.map(({ textContent }) => textContent?.trim()).join('');
    const field =
      element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element : undefined;
    return [
      ...(text === '' && field === undefined ? [] : judge(element, text || element.id)),
      ...(field?.placeholder ? judge(field, field.placeholder, '::placeholder') : []),
      ...(element.matches('.log p') ? judge(element, 'arrow', '::before') : []),
    ];
  });
}
