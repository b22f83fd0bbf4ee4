import type { SlotUpdate } from '../../../generated/ledger/types.ts';
import type { Advance } from '../ledger-follower.ts';
import type { Ledger } from '../ledger.ts';
import type { LocalnetSubscription } from './subscription.ts';

/** Notifies at the end of a slot, which is the beginning of the next one. The node makes all blocks itself: it receives no shreds. */
export const slotsUpdatesSubscribe: LocalnetSubscription<'slotsUpdatesSubscribe'> = (ledger) => ({
  key: [],
  watch: { kind: 'slot', notify: (advance) => updatesOf(ledger, advance) },
});

function updatesOf(ledger: Ledger, { closed, finalized, openSlot, timeMs }: Advance): readonly SlotUpdate[] {
  const timestamp = BigInt(Math.trunc(timeMs));
  const { slot } = closed;
  return [
    { type: 'completed', slot, timestamp },
    { type: 'frozen', slot, timestamp, stats: statsOf(ledger, slot) },
    { type: 'optimisticConfirmation', slot, timestamp },
    { type: 'root', slot: finalized.slot, timestamp },
    { type: 'createdBank', slot: openSlot, parent: slot, timestamp },
  ];
}

/** Each transaction is executed as it arrives, as an entry of its own. */
function statsOf({ blocks }: Ledger, slot: bigint) {
  const records = blocks.transactions(slot);
  const failed = records.filter(({ meta }) => meta.err !== null).length;
  return {
    numTransactionEntries: BigInt(records.length),
    numSuccessfulTransactions: BigInt(records.length - failed),
    numFailedTransactions: BigInt(failed),
    maxTransactionsPerEntry: records.length === 0 ? 0n : 1n,
  };
}
