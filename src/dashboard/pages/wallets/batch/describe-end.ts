import { failureCode } from '../../../calls/failure-code.ts';
import { formatCount } from '../../../parts/format-number.ts';
import type { BatchEnd } from './run-batch.ts';

/**
 * Describes how many wallets of a batch are in the file and how many were charged.
 * @param arrivedBefore the number in an earlier file, if this one completes it.
 */
export function describeEnd({ written, announced, error }: BatchEnd, arrivedBefore?: number): string {
  if (announced === undefined && arrivedBefore === undefined)
    return 'No wallet was created, and nothing was charged.';
  if (announced === undefined)
    return isNothingMissing(error)
      ? 'Nothing is missing: all charged wallets are in the earlier file.'
      : 'No more wallets arrived.';
  const arrived = `${formatCount(written)} of ${formatCount(announced)} wallets are in the file`;
  if (arrivedBefore !== undefined) {
    const charged = formatCount(arrivedBefore + announced);
    return `${arrived}. ${charged} were charged in total; these were not charged again.`;
  }
  if (error === undefined) return `${arrived}; ${formatCount(announced)} were charged.`;
  const range = `from ${formatCount(written)} to ${formatCount(announced)}`;
  return `${arrived}. Those sent before the end were charged: ${range}.`;
}

/** True if the server refused to send wallets again because every charged one had arrived. */
export function isNothingMissing(error: unknown): boolean {
  const code = failureCode(error);
  return code === 'idempotency_secret_not_kept' || code === 'idempotency_nothing_charged';
}

/** True if charged wallets may be missing: the server sends them again, once and free of charge. */
export function mayHaveRest({ written, announced, error }: BatchEnd, arrivedBefore?: number): boolean {
  return arrivedBefore === undefined && error !== undefined && announced !== undefined && written < announced;
}
