/**
 * Returns a well-formed text in memory of its own. V8 keeps all of a text while a part is kept that was cut from it by `slice`, `trim`,
 * `split` or a match.
 */
export function copyText(text: string): string {
  return Buffer.from(text).toString();
}
