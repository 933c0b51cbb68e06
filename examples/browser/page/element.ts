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

/** Disables a button that has nothing to do; who was on it with the keyboard goes on at `next`. */
export function retire(button: HTMLButtonElement, next: HTMLElement): void {
  const wasFocused = document.activeElement === button;
  button.disabled = true;
  if (wasFocused) next.focus();
}
