import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { TransactionError } from '../../../generated/ledger/types.ts';
import { serviceError } from '../../core/service-error.ts';
import { viewBank } from '../bank/bank-view.ts';
import { byName } from '../encode/by-name.ts';
import { encodePreflight, type Simulation } from '../encode/simulation-result.ts';
import type { Ledger } from '../ledger.ts';
import { errorText } from '../transaction/error-text.ts';
import { impersonate } from '../transaction/impersonate.ts';
import { assertValid, readTransaction } from '../transaction/read-transaction.ts';
import { refusedSimulation, simulateTransactionAt } from '../transaction/simulate.ts';
import { missesSignature } from '../transaction/verify-signatures.ts';

/**
 * Returns the signature once the transaction is pending; it may still not land. A transaction that is not fully signed is refused without
 * preflight too, as the gateway does (interface.md sections 4.1 and 7); a node would forward it, and no leader would accept it.
 */
export const sendTransaction: LedgerHandler<Ledger, 'sendTransaction'> = (ledger, text, config) => {
  const transaction = impersonate(readTransaction(text, config?.encoding), ledger.impersonated);
  const skipPreflight = config?.skipPreflight === true;
  if (skipPreflight && missesSignature(transaction))
    throw preflightFailure('SignatureFailure', refusedSimulation('SignatureFailure'));
  const commitment = skipPreflight ? 'processed' : config?.preflightCommitment;
  const { slot } = viewBank(ledger, { commitment, minContextSlot: config?.minContextSlot ?? null });
  assertValid(ledger, transaction, slot);
  if (!skipPreflight) {
    const { simulation } = simulateTransactionAt(ledger, transaction, {
      slot,
      verifySignatures: true,
      anyBlockhash: false,
    });
    const { err } = simulation;
    if (err !== null) throw preflightFailure(err, simulation);
  }
  ledger.submit(transaction);
  return transaction.signatures[0] ?? '';
};

function preflightFailure(err: TransactionError, simulation: Simulation) {
  const data = byName(encodePreflight(simulation));
  return serviceError('preflightFailure', { reason: errorText(err), data });
}
