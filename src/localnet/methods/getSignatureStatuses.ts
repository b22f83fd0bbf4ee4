import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';
import type { TransactionRecord } from '../model.ts';

/** Number of slots below the finalized one in the status cache. */
const STATUS_CACHE_SLOTS = 300n;

export const getSignatureStatuses: LedgerHandler<Ledger, 'getSignatureStatuses'> = (
  ledger,
  signatures,
  config,
) => {
  const { commitment, minContextSlot = null } = config ?? {};
  const known = commitment === 'confirmed' || commitment === 'finalized' ? commitment : 'processed';
  const { slot: newest, context } = viewBank(ledger, { commitment: known, minContextSlot });
  const oldest =
    config?.searchTransactionHistory === true ? 0n : ledger.slotAt('finalized') - STATUS_CACHE_SLOTS;
  const value = signatures.map((signature) => {
    const record = ledger.blocks.index.find(signature);
    return record === undefined || record.slot < oldest || record.slot > newest
      ? null
      : statusOf(record, ledger, newest);
  });
  return { context, value };
};

/** The status in the bank of `newest`: votes on top of a slot are counted up to there. */
function statusOf({ slot, meta: { err } }: TransactionRecord, ledger: Ledger, newest: bigint) {
  const confirmationStatus = ledger.commitmentOf(slot);
  return {
    slot,
    confirmations: confirmationStatus === 'finalized' ? null : newest - slot,
    status: err === null ? { Ok: null } : { Err: err },
    err,
    confirmationStatus,
  };
}
