/** Reads an address, or null for the word that stands for no one. */
export function addressOf(given: string): string | null {
  return given === 'none' ? null : given;
}
