import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { serviceError } from '../../service-error.ts';
import { viewBank } from '../bank/bank-view.ts';
import { byName } from '../encode/by-name.ts';
import { encodePreflight } from '../encode/simulation-result.ts';
import type { Ledger } from '../ledger.ts';
import { errorText } from '../transaction/error-text.ts';
import { assertLookups, readTransaction } from '../transaction/read-transaction.ts';
import { simulateTransactionAt } from '../transaction/simulate.ts';

/** Answers the signature once the transaction is on its way; it may still not land. */
export const sendTransaction: LedgerHandler<Ledger, 'sendTransaction'> = (ledger, text, config) => {
  const transaction = readTransaction(text, config?.encoding);
  const skipPreflight = config?.skipPreflight === true;
  const commitment = skipPreflight ? 'processed' : config?.preflightCommitment;
  const { slot } = viewBank(ledger, { commitment, minContextSlot: config?.minContextSlot ?? null });
  assertLookups(ledger, transaction, slot);
  if (!skipPreflight) {
    const { simulation } = simulateTransactionAt(ledger, transaction, {
      slot,
      verifySignatures: true,
      anyBlockhash: false,
    });
    const { err } = simulation;
    if (err !== null) {
      const data = byName(encodePreflight(simulation));
      throw serviceError('preflightFailure', { reason: errorText(err), data });
    }
  }
  ledger.submit(transaction);
  return transaction.signatures[0] ?? '';
};
