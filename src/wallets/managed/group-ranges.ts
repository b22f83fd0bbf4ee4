import { serviceError } from '../../core/service-error.ts';
import type { WalletContext } from '../wallet-context.ts';

/** Consecutive items that are made and committed together. */
export type GroupRange = { readonly from: number; readonly count: number; readonly isLast: boolean };

/** The first group is small, so that the first line is sent at once. */
const FIRST = 32;
const REST = 512;

/** True when this many items, counted from the first, fit one group. */
export function isOneGroup(count: number): boolean {
  return count <= FIRST;
}

/** Yields the groups for the items from `from` to below `end`; none if there are no items. */
export function* groupRanges(from: number, end: number): Generator<GroupRange, void, undefined> {
  let size = FIRST;
  for (let at = from; at < end; ) {
    const count = Math.min(size, end - at);
    yield { from: at, count, isLast: at + count === end };
    at += count;
    size = REST;
  }
}

/** @throws ServiceError `managedBatchTooLarge` if more wallets are requested in one call than the operator allows. */
export function assertBatchSize({ signer }: WalletContext, value: number): void {
  const { maxManagedBatch: limit = Infinity } = signer.capabilities();
  if (value > limit) throw serviceError('managedBatchTooLarge', { limit, value });
}
