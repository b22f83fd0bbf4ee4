const SHOWN = 6;

/** Returns a long text with its middle left out: the first and the last six characters; a short one as it is. */
export function shorten(text: string): string {
  return text.length <= 2 * SHOWN + 1 ? text : `${text.slice(0, SHOWN)}…${text.slice(-SHOWN)}`;
}
