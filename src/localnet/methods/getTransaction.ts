import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import { encodeConfirmedTransaction } from '../encode/confirmed-transaction.ts';
import type { Ledger } from '../ledger.ts';

export const getTransaction: LedgerHandler<Ledger, 'getTransaction'> = (
  ledger,
  signature,
  encodingOrConfig,
) => {
  const config =
    typeof encodingOrConfig === 'string' ? { encoding: encodingOrConfig } : (encodingOrConfig ?? {});
  const { slot } = viewBank(ledger, config);
  const record = ledger.blocks.index.find(signature);
  if (record === undefined || record.slot > slot) return null;
  return encodeConfirmedTransaction(record, ledger.blocks.time(record.slot), config);
};
