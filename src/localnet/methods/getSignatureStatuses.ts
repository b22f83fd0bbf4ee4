import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import { commitmentOfSlot } from '../blocks/commitment.ts';
import type { Ledger } from '../ledger.ts';
import type { TransactionRecord } from '../model.ts';

/** Slots below the finalized one that the status cache covers. */
const STATUS_CACHE_SLOTS = 300n;

export const getSignatureStatuses: LedgerHandler<Ledger, 'getSignatureStatuses'> = (
  ledger,
  signatures,
  config,
) => {
  const { context } = viewBank(ledger, { commitment: 'processed' });
  const oldest =
    config?.searchTransactionHistory === true ? 0n : ledger.slotAt('finalized') - STATUS_CACHE_SLOTS;
  const value = signatures.map((signature) => {
    const record = ledger.blocks.index.find(signature);
    return record === undefined || record.slot < oldest ? null : statusOf(record, ledger.blocks.openSlot);
  });
  return { context, value };
};

function statusOf({ slot, meta: { err } }: TransactionRecord, openSlot: bigint) {
  const confirmationStatus = commitmentOfSlot(openSlot, slot);
  return {
    slot,
    confirmations: confirmationStatus === 'finalized' ? null : openSlot - slot,
    status: err === null ? { Ok: null } : { Err: err },
    err,
    confirmationStatus,
  };
}
