import type { SpanCalls } from '../../../../generated/account/types.ts';
import { formatCount } from '../../parts/format-number.ts';

const SECOND_MS = 1_000;

/** Prints the time that 99 of 100 calls did not exceed, as the bound that it is. */
export function printP99({
  p99_ms: atMost,
  p99_above_ms: above,
}: Pick<SpanCalls, 'p99_ms' | 'p99_above_ms'>): string {
  if (above !== undefined) return `over ${printMs(above)}`;
  return atMost === undefined ? '–' : `at most ${printMs(atMost)}`;
}

/** With a space that does not break. */
function printMs(ms: number): string {
  return ms < SECOND_MS ? `${ms}\u00a0ms` : `${formatCount(ms / SECOND_MS)}\u00a0s`;
}
