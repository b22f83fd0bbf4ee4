import type { SpanCalls } from '../../../../generated/account/types.ts';
import { formatCount } from '../../parts/format-number.ts';

const SECOND_MS = 1_000;

/** Prints the time that 99 of 100 calls did not exceed. The server measures up to 30 seconds. */
export function printP99({ calls, p99_ms: ms }: Pick<SpanCalls, 'calls' | 'p99_ms'>): string {
  if (ms === undefined) return calls === 0 ? '–' : '> 30 s';
  return ms < SECOND_MS ? `${ms} ms` : `${formatCount(ms / SECOND_MS)} s`;
}
