import type { Entry, RecordOf } from './record.ts';

/** The backfill of a loss: of everything, of the latest state, or none. */
export type Refill = 'all' | 'state' | 'none';

type Notification = Extract<Entry, { readonly kind: 'notification' }>;
type Gap = Extract<Entry, { readonly kind: 'gap' }>;

/**
 * Holds a subscriber's record against that of one who was at the ledger itself all the time, from the first slot that both have to
 * `until`.
 *
 * @returns what is wrong, one line each: a duplicate, an older slot after a newer one, something that never happened, or something
 *   that is missing without a gap that says so.
 */
export function faultsOf(
  { method, params, entries }: RecordOf,
  truth: RecordOf,
  { refill, from, until }: { readonly refill: Refill; readonly from: number; readonly until: number },
): readonly string[] {
  const isInside = ({ slot }: Notification): boolean => slot >= from && slot <= until;
  const states = truth.entries.filter((entry) => entry.kind === 'notification');
  const own = entries.filter((entry) => entry.kind === 'notification').filter(isInside);
  const real = states.filter(isInside);
  const gaps = entries.filter((entry) => entry.kind === 'gap');
  const [told, happened] = [own, real].map((all) => new Set(all.map(keyOf)));
  const isTrue = (entry: Notification): boolean =>
    happened?.has(keyOf(entry)) === true || (refill === 'state' && isStateAfterGap(entry, states, gaps));
  const faults = [
    ...orderFaults(own),
    ...(refill === 'state' ? repeatedStates(own) : []),
    ...own.filter((entry) => !isTrue(entry)).map((entry) => `untrue: ${show(entry)}`),
    ...real
      .filter((entry) => !told?.has(keyOf(entry)) && (refill === 'all' || !isInGap(entry, gaps)))
      .map((entry) => `missing: ${show(entry)}`),
  ];
  const last = real.at(-1);
  if (refill === 'state' && last !== undefined && own.at(-1)?.value !== last.value) {
    // A state read after a loss may be of a slot after `until`, however long that took.
    const next = entries.find((entry) => entry.kind === 'notification' && entry.slot > until);
    const isLater = next?.kind === 'notification' && isStateAfterGap(next, states, gaps);
    if (!isInGap(last, gaps) || !isLater) faults.push(`the latest state is missing: ${show(last)}`);
  }
  return faults.map((fault) => `${method} ${JSON.stringify(params)}: ${fault}`);
}

/** Slots only grow, and nothing is told twice. Several may have one slot where their values differ. */
function orderFaults(own: readonly Notification[]): readonly string[] {
  const seen = new Set<string>();
  return own.flatMap((entry, at) => {
    const isOlder = (own[at - 1]?.slot ?? 0) > entry.slot;
    const isRepeated = seen.has(keyOf(entry));
    seen.add(keyOf(entry));
    if (isOlder) return [`older after newer: ${show(entry)}`];
    return isRepeated ? [`twice: ${show(entry)}`] : [];
  });
}

/** The accounts of a crowd only grow: a state that is told again was told before. */
function repeatedStates(own: readonly Notification[]): readonly string[] {
  const repeated = own.filter(({ value }, at) => value === own[at - 1]?.value);
  return repeated.map((entry) => `unchanged: ${show(entry)}`);
}

/** True if the notification after a gap is the state at its end, with the slot that it was read at. */
function isStateAfterGap(
  entry: Notification,
  states: readonly Notification[],
  gaps: readonly Gap[],
): boolean {
  if (!isInGap(entry, gaps)) return false;
  return states.findLast(({ slot }) => slot <= entry.slot)?.value === entry.value;
}

function keyOf({ slot, value }: Notification): string {
  return `${slot} ${value}`;
}

function isInGap({ slot }: Notification, gaps: readonly Gap[]): boolean {
  return gaps.some(({ from, to }) => slot >= from && slot <= to);
}

function show({ slot, value }: Notification): string {
  return `slot ${slot} ${value.slice(0, 120)}`;
}
