/** The last entry of a page. Lists are in descending order; `id` is ASCII. */
export type ListPosition = { readonly at: Date; readonly id: string };

/** Six bytes of milliseconds since 1970; then the id. */
const INSTANT_BYTES = 6;
/** Of RFC 3339, and so of every instant in a list. */
const LAST_YEAR = 9999;

/** Prints where a page ended, as an opaque text. */
export function printCursor({ at, id }: ListPosition): string {
  const instant = Buffer.alloc(INSTANT_BYTES);
  instant.writeUIntBE(at.getTime(), 0, INSTANT_BYTES);
  return Buffer.concat([instant, Buffer.from(id)]).toString('base64url');
}

/** Reads a cursor; undefined if no page of the list has it. @param isId true for ids of the list; false for an empty text. */
export function readCursor(text: string, isId: (id: string) => boolean): ListPosition | undefined {
  const bytes = Buffer.from(text, 'base64url');
  const id = bytes.toString('latin1', INSTANT_BYTES);
  if (!isId(id) || bytes.toString('base64url') !== text) return undefined;
  const at = new Date(bytes.readUIntBE(0, INSTANT_BYTES));
  return at.getUTCFullYear() > LAST_YEAR ? undefined : { at, id };
}
