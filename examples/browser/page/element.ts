/** The element with this id, which must be there and of this class. */
export function element<Type extends HTMLElement>(id: string, type: abstract new () => Type): Type {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${type.name} #${id}`);
  return found;
}

/** Shows how something went below its card. */
export function summarise(id: string, text: string, outcome: 'good' | 'bad' = 'good'): void {
  const output = element(id, HTMLOutputElement);
  output.textContent = text;
  output.dataset['outcome'] = outcome;
}

/** What went wrong, in words. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
