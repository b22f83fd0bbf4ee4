/** Returns the text of a field; empty where there is none. */
export function readForm(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value : '';
}
