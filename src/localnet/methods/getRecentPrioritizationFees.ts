import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';
import type { TransactionRecord } from '../model.ts';
import { writableKeys } from '../transaction/account-keys.ts';
import { readComputeBudget } from '../transaction/compute-budget.ts';
import { isVote } from '../validator/is-vote.ts';

const RECENT_BLOCKS = 150n;

export const getRecentPrioritizationFees: LedgerHandler<Ledger, 'getRecentPrioritizationFees'> = (
  { blocks },
  addresses,
) => {
  const newest = blocks.openSlot - 1n;
  const oldest = newest >= RECENT_BLOCKS ? newest - RECENT_BLOCKS + 1n : 0n;
  const fees = [];
  for (let slot = oldest; slot <= newest; slot++) {
    const bids = blocks.transactions(slot).flatMap(bidOf);
    if (bids.length > 0) fees.push({ slot, prioritizationFee: blockFee(bids, addresses ?? []) });
  }
  return fees;
};

/** A transaction's priority fee, in micro-lamports per compute unit, and its write-locked addresses. */
type Bid = { readonly price: bigint; readonly writable: readonly string[] };

/** Votes do not compete, and a transaction without compute units has no price per unit: neither counts. */
function bidOf({ transaction, meta }: TransactionRecord): readonly Bid[] {
  const limits = readComputeBudget(transaction.message);
  if (isVote(transaction) || limits.kind === 'error' || limits.budget.unitLimit === 0n) return [];
  const writable = writableKeys(transaction.message, meta.loadedAddresses);
  return [{ price: limits.budget.unitPrice, writable }];
}

/** Returns the lowest price per compute unit of a transaction in the block that writes to the most expensive of the addresses. */
function blockFee(bids: readonly Bid[], addresses: readonly string[]): bigint {
  const minima = addresses.map((address) =>
    lowest(bids.filter(({ writable }) => writable.includes(address))),
  );
  return minima.reduce((highest: bigint, price: bigint) => (price > highest ? price : highest), lowest(bids));
}

function lowest(bids: readonly Bid[]): bigint {
  const [first, ...rest] = bids.map(({ price }) => price);
  return rest.reduce((minimum: bigint, price: bigint) => (price < minimum ? price : minimum), first ?? 0n);
}
