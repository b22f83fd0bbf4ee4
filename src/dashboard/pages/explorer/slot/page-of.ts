/** A transaction of a block by its place, from 1. */
export type PlacedSignature = { readonly place: number; readonly signature: string };

/** Returns a page of the signatures of a block; its cursor is the number of those before it. */
export function pageOf(
  signatures: readonly string[],
  { limit, cursor = '0' }: { readonly limit: number; readonly cursor?: string },
): { readonly rows: readonly PlacedSignature[]; readonly next_cursor?: string } {
  const from = Number(cursor);
  const to = from + limit;
  const rows = signatures.slice(from, to).map((signature, at) => ({ place: from + at + 1, signature }));
  return to < signatures.length ? { rows, next_cursor: String(to) } : { rows };
}
