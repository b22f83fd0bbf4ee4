/** Returns an element of the page by its id. @throws Error if the page has none of this kind. */
export function element<E extends Element>(id: string, kind: abstract new () => E): E {
  const found = optionalElement(id, kind);
  if (found === undefined) throw new Error(`the page has no ${kind.name} #${id}`);
  return found;
}

/** Returns an element that only some pages have. */
export function optionalElement<E extends Element>(id: string, kind: abstract new () => E): E | undefined {
  const found = document.getElementById(id);
  return found instanceof kind ? found : undefined;
}

type Attributes = Readonly<Record<string, string>>;

/** Makes an element with texts and elements in it. A text is never read as markup. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes,
  ...content: readonly (string | Node)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

/** Tells screen readers what has happened. */
export function announce(text: string): void {
  element('news', HTMLElement).textContent = text;
}

/** A button that copies a text. */
export function copyButton(label: string, read: () => string): HTMLButtonElement {
  const button = make('button', { type: 'button', class: 'small-button', 'aria-label': label }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(read());
      announce('Copied.');
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, SHOWN_MS);
    } catch {
      announce('The browser does not allow copying here; select the text instead.');
    }
  });
  return button;
}

const SHOWN_MS = 2_000;
