import { CallError } from '../../../../../runtime/call-error.ts';

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

/** Errors of nodes (agave, rpc-client-types): block cleaned up, not available, skipped, and the same in long-term storage. */
const NO_BLOCK: ReadonlySet<number> = new Set([-32001, -32004, -32007, -32009, -32011]);

/** True if the node answered that the slot has no block, or none that it keeps. */
export function isNoBlock(error: unknown): boolean {
  return error instanceof CallError && error.failure.kind === 'rpc' && NO_BLOCK.has(error.failure.code);
}
