/** Returns the entries of a text with one on each line, or several with commas between them. */
export function splitLines(text: string): readonly string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
