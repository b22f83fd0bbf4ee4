import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';
import type { TransactionRecord } from '../model.ts';
import { writableKeys } from '../transaction/account-keys.ts';
import { readComputeBudget } from '../transaction/compute-budget.ts';

const RECENT_BLOCKS = 150n;

export const getRecentPrioritizationFees: LedgerHandler<Ledger, 'getRecentPrioritizationFees'> = (
  { blocks },
  addresses,
) => {
  const newest = blocks.openSlot - 1n;
  const oldest = newest >= RECENT_BLOCKS ? newest - RECENT_BLOCKS + 1n : 0n;
  const fees = [];
  for (let slot = oldest; slot <= newest; slot++) {
    const records = blocks.transactions(slot);
    if (records.length > 0) fees.push({ slot, prioritizationFee: blockFee(records, addresses ?? []) });
  }
  return fees;
};

/** The lowest price per compute unit that got into the block, writing to the dearest of the addresses. */
function blockFee(records: readonly TransactionRecord[], addresses: readonly string[]): bigint {
  const prices = records.map(({ transaction: { message }, meta }) => {
    const limits = readComputeBudget(message);
    const price = limits.kind === 'budget' ? limits.budget.unitPrice : 0n;
    return { price, writable: writableKeys(message, meta.loadedAddresses) };
  });
  const minima = addresses.map((address) =>
    lowest(prices.filter(({ writable }) => writable.includes(address))),
  );
  return minima.reduce(
    (highest: bigint, price: bigint) => (price > highest ? price : highest),
    lowest(prices),
  );
}

function lowest(prices: readonly { readonly price: bigint }[]): bigint {
  const [first, ...rest] = prices.map(({ price }) => price);
  return rest.reduce((minimum: bigint, price: bigint) => (price < minimum ? price : minimum), first ?? 0n);
}
