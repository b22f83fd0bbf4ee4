/** Returns the text of a field; empty if the form does not have it. */
export function readForm(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value : '';
}
