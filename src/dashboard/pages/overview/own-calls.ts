import type { CallSpan, Network, OwnCalls, SpanCalls } from '../../../../generated/account/types.ts';
import { formatCount } from '../../parts/format-number.ts';

/** Returns the calls of the account in a span, summed over all networks; undefined if the networks are unknown. */
export function ownCalls(
  networks: readonly Pick<Network, 'spans'>[] | undefined,
  asked: CallSpan,
): OwnCalls | undefined {
  if (networks === undefined) return undefined;
  const found = networks.flatMap(({ spans }) => spans.filter(({ span }) => span === asked));
  const sumOf = (count: keyof OwnCalls): number => found.reduce((sum, { own }) => sum + own[count], 0);
  return {
    calls: sumOf('calls'),
    errors: sumOf('errors'),
    caller_errors: sumOf('caller_errors'),
    refused: sumOf('refused'),
  };
}

const SECOND_MS = 1_000;

/** Prints the 99th percentile of call times, as a bound. */
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
