import { element } from './elements.ts';

/** Finds calls in the navigation by words of their names and summaries. `/` leads to the field, Enter to the first call found. */
export function findCalls(): void {
  const field = element('find', HTMLInputElement);
  const calls = element('calls', HTMLElement);
  const nothing = element('nothing-found', HTMLElement);
  const find = (): void => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    calls.toggleAttribute('data-finding', words.length > 0);
    for (const link of calls.querySelectorAll<HTMLAnchorElement>('li a')) {
      const text = `${link.textContent} ${link.dataset.words}`.toLowerCase();
      const item = link.closest('li');
      if (item !== null) item.hidden = !words.every((word) => text.includes(word));
    }
    for (const part of calls.querySelectorAll<HTMLElement>('.navigation-section, .nav-section'))
      part.hidden = part.querySelector('li:not([hidden])') === null;
    nothing.hidden = calls.querySelector('li:not([hidden])') !== null;
  };
  const links = (): readonly HTMLAnchorElement[] => [
    ...calls.querySelectorAll<HTMLAnchorElement>('li:not([hidden]) a'),
  ];
  field.addEventListener('input', find);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') links()[0]?.click();
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      links()[0]?.focus();
    }
  });
  calls.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || !(event.target instanceof HTMLAnchorElement)) return;
    event.preventDefault();
    (links()[links().indexOf(event.target) + step] ?? field).focus();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
  if (field.value !== '') find();
}
