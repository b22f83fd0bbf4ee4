import { formatCount } from '../../../parts/format-number.ts';
import type { BatchEnd } from './run-batch.ts';

/** Says how many wallets of a batch are in the file and how many were charged. */
export function describeEnd({ written, announced, error }: BatchEnd): string {
  if (announced === undefined) return 'No wallet was created, and nothing was charged.';
  const arrived = `${formatCount(written)} of ${formatCount(announced)} wallets are in the file`;
  if (error === undefined) return `${arrived}; ${formatCount(announced)} were charged.`;
  return `${arrived}. Charged are those that were sent before it ended: from ${formatCount(written)} to ${formatCount(announced)}.`;
}
