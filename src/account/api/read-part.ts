import type { ChainPart } from '../audit/read-chain.ts';

/** Reads a part of a chain, and the beginning of the next one, which the last part does not have. */
export async function readPart<R extends { readonly seq: number }>(
  { from_seq: fromSeq, limit }: { readonly from_seq: number; readonly limit: number },
  read: (part: ChainPart) => Promise<readonly R[]>,
): Promise<{ readonly rows: readonly R[]; readonly nextSeq: { readonly next_seq?: number } }> {
  const rows = await read({ fromSeq, limit: limit + 1 });
  const next = rows[limit];
  return { rows: rows.slice(0, limit), nextSeq: next === undefined ? {} : { next_seq: next.seq } };
}
