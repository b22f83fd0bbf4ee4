import { CallError } from '../../../../../runtime/call-error.ts';

/** Errors of nodes (agave, rpc-client-types): block cleaned up, not available, skipped, and the same in long-term storage. */
const NO_BLOCK: ReadonlySet<number> = new Set([-32001, -32004, -32007, -32009, -32011]);

/** True if the node answered that the slot has no block, or none that it keeps. */
export function isNoBlock(error: unknown): boolean {
  return error instanceof CallError && error.failure.kind === 'rpc' && NO_BLOCK.has(error.failure.code);
}
