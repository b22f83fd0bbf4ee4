const SHOWN_CHARACTERS = 100;

/** Shortens a caller's text so that it can be echoed. What is cut in the middle of a character could not be sent. */
export function shown(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : text;
}
