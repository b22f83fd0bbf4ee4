import { failureCode } from '../../../calls/failure-code.ts';
import { formatCount } from '../../../parts/format-number.ts';
import type { BatchEnd } from './run-batch.ts';

/**
 * Says how many wallets of a batch are in the file and how many were charged.
 * @param arrivedBefore how many are in an earlier file, if this one is the rest of it.
 */
export function describeEnd({ written, announced, error }: BatchEnd, arrivedBefore?: number): string {
  if (announced === undefined && arrivedBefore === undefined)
    return 'No wallet was created, and nothing was charged.';
  if (announced === undefined)
    return isNothingMissing(error)
      ? 'Nothing is missing: what was charged is in the file before.'
      : 'Nothing more came.';
  const arrived = `${formatCount(written)} of ${formatCount(announced)} wallets are in the file`;
  if (arrivedBefore !== undefined) {
    const charged = formatCount(arrivedBefore + announced);
    return `${arrived}. With those before, ${charged} were charged, and these were not charged again.`;
  }
  if (error === undefined) return `${arrived}; ${formatCount(announced)} were charged.`;
  const range = `from ${formatCount(written)} to ${formatCount(announced)}`;
  return `${arrived}. Charged are those that were sent before it ended: ${range}.`;
}

/** True if the server refused to make wallets again because each one that it charged had arrived. */
export function isNothingMissing(error: unknown): boolean {
  const code = failureCode(error);
  return code === 'idempotency_secret_not_kept' || code === 'idempotency_nothing_charged';
}

/** True if wallets may have been charged that did not arrive: the server makes them again, once and for nothing. */
export function mayHaveRest({ written, announced, error }: BatchEnd, arrivedBefore?: number): boolean {
  return arrivedBefore === undefined && error !== undefined && announced !== undefined && written < announced;
}
