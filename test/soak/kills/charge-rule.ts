/** Operations that are charged for, by the names of the price list (interface.md section 8). */
export const CHARGED = ['wallet_creation', 'hd_child_derivation', 'managed_signing'] as const;

export type ChargedOperation = (typeof CHARGED)[number];

/** Units of one operation, as its clients saw them. */
export type Tally = {
  /** Came whole: a line, or the answer to a request. */
  readonly delivered: number;
  /** Asked for by requests that were broken off, and not delivered: a crash may have left so much set aside. */
  readonly interrupted: number;
};

/** The first half of the rule. Off, only the second is held: that no more is charged than a crash can have left set aside. */
export const DELIVERED_NEVER_EXCEEDS_CHARGED = true;

/**
 * Holds what was charged against what clients were given: delivered never exceeds charged, and what was charged without being delivered is
 * at most what broken requests had set aside.
 *
 * @returns what is wrong; undefined where the rule is kept.
 */
export function breakOfChargeRule(
  operation: ChargedOperation,
  { delivered, interrupted }: Tally,
  charged: number,
): string | undefined {
  if (charged < delivered && DELIVERED_NEVER_EXCEEDS_CHARGED)
    return `${operation}: ${delivered} delivered and only ${charged} charged: ${delivered - charged} given away`;
  if (charged > delivered + interrupted)
    return `${operation}: ${charged} charged for ${delivered} delivered, and ${interrupted} broken off at most`;
  return undefined;
}
