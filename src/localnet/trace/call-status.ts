import type { TraceStatus } from '../../../generated/localnet/types.ts';
import type { TransactionError } from '../../../generated/ledger/types.ts';
import type { Call } from './call-tree.ts';

/** How a transaction ended; `ran` is false if it was refused before its first instruction. */
export type Ending = { readonly err: TransactionError | null; readonly ran: boolean };

/** Returns how a call of the instruction at an index ended. */
export function callStatus(call: Call, index: number, { err, ran }: Ending): TraceStatus {
  if (!ran) return 'notRun';
  const failed = failedIndex(err);
  if (failed === undefined || index < failed) return 'succeeded';
  if (index > failed) return 'notRun';
  if (call.path === String(index)) return 'failed';
  const end = call.logged?.end;
  if (end === 'success') return 'succeeded';
  return typeof end === 'object' ? 'failed' : 'unknown';
}

/** Returns the index of the instruction that failed. */
export function failedIndex(err: TransactionError | null): number | undefined {
  return typeof err === 'object' && err !== null && 'InstructionError' in err
    ? err.InstructionError[0]
    : undefined;
}
