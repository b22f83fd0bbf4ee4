import type { Store } from '../../store/open-store.ts';
import { createRounds, type RoundListener } from './account-rounds.ts';
import { lowBalances } from './balance-notices.ts';
import { monthsToClose } from './close-months.ts';
import { thresholdsToCross } from './cross-thresholds.ts';
import { termsToReview } from './review-terms.ts';
import type { Tell } from './tell-notices.ts';
import type { InvoiceTexts } from './write-invoice.ts';

export type BillingOptions = RoundListener & {
  readonly store: Store;
  readonly texts: InvoiceTexts;
  /** Called in the transaction of each notice, before `onNotice`. */
  readonly tell: Tell;
};

/**
 * Creates the work on the money of all accounts that no request does: notices of low balances, accounts that are invoiced from now on, the
 * end of months, and the review of terms. Several processes may do it at once.
 *
 * @returns a function that does a bounded step, and resolves to true if there is more to do now.
 */
export function createBillingWork({
  store,
  texts,
  tell,
  ...listener
}: BillingOptions): (nowMs: number) => Promise<boolean> {
  const lookAtThresholds = createRounds(thresholdsToCross(store, tell), listener);
  const noticeBalances = createRounds(lowBalances(store, tell), listener);
  const closeMonths = createRounds(monthsToClose(store, texts, tell), listener);
  const reviewTerms = createRounds(termsToReview(store, tell), listener);
  return async (nowMs) => {
    // All accounts of the current month are looked at, a page of them in each step: that there are more is no reason to hurry.
    await lookAtThresholds(nowMs);
    const goesOn = [await noticeBalances(nowMs), await closeMonths(nowMs), await reviewTerms(nowMs)];
    return goesOn.includes(true);
  };
}
