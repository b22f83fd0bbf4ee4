import type { AddressSignature } from '../../../generated/ledger/types.ts';
import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { LIMITS } from '../../../generated/ledger/limits.ts';
import { serviceError } from '../../core/service-error.ts';
import { viewBank } from '../bank/bank-view.ts';
import { signatureOf } from '../blocks/transaction-index.ts';
import type { Ledger } from '../ledger.ts';
import type { TransactionRecord } from '../model.ts';
import { memoText } from '../transaction/memo.ts';

export const getSignaturesForAddress: LedgerHandler<Ledger, 'getSignaturesForAddress'> = (
  ledger,
  address,
  config,
) => {
  const { slot } = viewBank(ledger, config);
  const before = findBound(ledger, config?.before);
  const until = findBound(ledger, config?.until);
  const limit = Number(config?.limit ?? LIMITS.getSignaturesForAddress['config.limit.default']);
  const records = ledger.blocks.index.ofAddress(address);
  const found: AddressSignature[] = [];
  for (let index = records.length - 1; index >= 0 && found.length < limit; index--) {
    const record = records[index];
    if (record === undefined || (until !== undefined && !isLater(record, until))) break;
    const inRange = record.slot <= slot && (before === undefined || isLater(before, record));
    if (inRange) found.push(describe(ledger, record));
  }
  return found;
};

function findBound({ blocks }: Ledger, signature: string | null | undefined): TransactionRecord | undefined {
  if (signature === null || signature === undefined) return undefined;
  const record = blocks.index.find(signature);
  if (record === undefined) throw serviceError('transactionNotFound', { signature });
  return record;
}

function isLater(a: TransactionRecord, b: TransactionRecord): boolean {
  return a.slot === b.slot ? a.index > b.index : a.slot > b.slot;
}

function describe(ledger: Ledger, record: TransactionRecord): AddressSignature {
  const { slot, index, transaction, meta } = record;
  return {
    signature: signatureOf(record),
    slot,
    err: meta.err,
    memo: memoText(transaction.message),
    blockTime: ledger.blocks.time(slot),
    confirmationStatus: slot <= ledger.slotAt('finalized') ? 'finalized' : 'confirmed',
    transactionIndex: index,
  };
}
