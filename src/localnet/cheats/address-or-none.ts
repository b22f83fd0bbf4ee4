/** Reads an address; null for the word that means no address. */
export function addressOf(given: string): string | null {
  return given === 'none' ? null : given;
}
