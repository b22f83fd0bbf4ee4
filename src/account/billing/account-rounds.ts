import type { BillingNotice } from './billing-notice.ts';

/** What the rounds report: notices for accounts, and failures. */
export type RoundListener = {
  /** Called with what is committed. */
  readonly onNotice: (notice: BillingNotice) => void;
  /** Called with the error of an account, which is tried again in the next round. */
  readonly onFailure: (error: unknown, accountId: string) => void;
};

/** The id of an account before all others. */
export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Work that is done for one account after another, round after round. */
export type Round<T extends { readonly accountId: string }> = {
  /** The number of accounts that `find` returns if there may be more. */
  readonly pageSize: number;
  /** Finds those who come after another one, in order; undefined: the first ones. */
  readonly find: (after: T | undefined, nowMs: number) => Promise<readonly T[]>;
  /** Does the work of one in a transaction of its own, if it still is to be done. @returns what happened. */
  readonly work: (item: T, nowMs: number) => Promise<readonly BillingNotice[]>;
};

/**
 * Goes through accounts in their order. One that fails ends the page; the next page begins behind it, so that it does not hold up others.
 *
 * @returns a function that does a page, and resolves to true if the round goes on.
 */
export function createRounds<T extends { readonly accountId: string }>(
  { pageSize, find, work }: Round<T>,
  { onNotice, onFailure }: RoundListener,
): (nowMs: number) => Promise<boolean> {
  let last: T | undefined;
  return async (nowMs) => {
    const page = await find(last, nowMs);
    for (const item of page) {
      last = item;
      try {
        for (const notice of await work(item, nowMs)) onNotice(notice);
      } catch (error) {
        onFailure(error, item.accountId);
        return false;
      }
    }
    if (page.length < pageSize) last = undefined;
    return last !== undefined;
  };
}
