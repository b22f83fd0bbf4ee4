const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for XML 1.0; a character that XML has no form for becomes U+FFFD. */
export function xml(text: string): string {
  return text
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]/g, '\uFFFD');
}
