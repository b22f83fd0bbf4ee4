import type { CallSpan, SpanCalls } from '../../../generated/account/types.ts';
import { DURATIONS_UP_TO_S } from '../usage/call-durations.ts';
import { readNetworkCalls } from '../usage/read-network-calls.ts';
import { readUsage } from '../usage/read-usage.ts';
import { floorTo, UNIT_MS } from '../usage/split-span.ts';
import type { AccountContext } from './account-context.ts';

type Span = { readonly span: CallSpan; readonly ms: number; readonly unitMs: number };

/** Longer spans begin with an hour: sums of the account's calls by hour are read, not its minutes. */
const SPANS: readonly Span[] = [
  { span: 'hour', ms: UNIT_MS.hour, unitMs: UNIT_MS.five_minutes },
  { span: 'day', ms: UNIT_MS.day, unitMs: UNIT_MS.hour },
  { span: 'month', ms: 30 * UNIT_MS.day, unitMs: UNIT_MS.hour },
];

/** Longer durations are not measured, in milliseconds. */
const MEASURED_MS = Math.max(...DURATIONS_UP_TO_S) * 1_000;

type Asked = Pick<AccountContext, 'store' | 'clock' | 'caller'>;

/** Returns the calls of each of these networks in the last hour, day and month, by label. */
export async function readCallSpans(
  { store, clock, caller: { accountId } }: Asked,
  labels: readonly string[],
): Promise<ReadonlyMap<string, readonly SpanCalls[]>> {
  const nowMs = clock.nowMs();
  const sinceMs = SPANS.map(({ ms, unitMs }) => floorTo(nowMs - ms, unitMs));
  const readOwn = (from: number) =>
    readUsage(store, { sinceMs: from, by: 'network', accountId, keyId: undefined });
  const [all, own] = await Promise.all([
    readNetworkCalls(store, labels, sinceMs),
    Promise.all(sinceMs.map(readOwn)),
  ]);
  const spansOf = (label: string): readonly SpanCalls[] => {
    const recorded = all.get(label);
    const knownSinceMs = recorded?.knownSinceMs ?? nowMs;
    return SPANS.map(({ span }, at) => {
      const since = sinceMs[at] ?? nowMs;
      const { calls = 0, errors = 0, p99Ms } = recorded?.spans[at] ?? {};
      const sum = own[at]?.find(({ group }) => group === label);
      const { calls: ownCalls = 0, errors: ownErrors = 0, callerErrors = 0, refused = 0 } = sum ?? {};
      return {
        // Other processes store the calls of all accounts later than those of this one.
        span,
        calls: Math.max(calls, ownCalls),
        errors: Math.max(errors, ownErrors),
        since: printInstant(since),
        ...(knownSinceMs > since && { known_since: printInstant(knownSinceMs) }),
        ...(p99Ms === Infinity ? { p99_above_ms: MEASURED_MS } : p99Ms !== undefined && { p99_ms: p99Ms }),
        own: { calls: ownCalls, errors: ownErrors, caller_errors: callerErrors, refused },
      };
    });
  };
  return new Map(labels.map((label) => [label, spansOf(label)]));
}

function printInstant(instantMs: number): string {
  return new Date(instantMs).toISOString();
}
