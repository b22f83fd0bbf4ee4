import type { SimulateTransactionAccountsConfig, UiAccount } from '../../../generated/ledger/types.ts';
import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import { viewAccount } from '../accounts/account-view.ts';
import { viewBank } from '../bank/bank-view.ts';
import { encodeSimulation } from '../encode/simulation-result.ts';
import { latestBlockhash } from '../blocks/latest-blockhash.ts';
import type { Ledger } from '../ledger.ts';
import { impersonate } from '../transaction/impersonate.ts';
import { assertValid, readTransaction } from '../transaction/read-transaction.ts';
import { type SimulationRun, simulateTransactionAt } from '../transaction/simulate.ts';

export const simulateTransaction: LedgerHandler<Ledger, 'simulateTransaction'> = (ledger, text, config) => {
  const transaction = impersonate(readTransaction(text, config?.encoding), ledger.impersonated);
  const { slot, context } = viewBank(ledger, config);
  const anyBlockhash = config?.replaceRecentBlockhash === true;
  assertValid(ledger, transaction, slot);
  const run = simulateTransactionAt(ledger, transaction, {
    slot,
    verifySignatures: config?.sigVerify === true,
    anyBlockhash,
  });
  const value = encodeSimulation(run.simulation, {
    accounts: accountsAfter(ledger, run, slot, config?.accounts),
    innerInstructions:
      config?.innerInstructions === true ? { calls: run.innerInstructions, keys: run.keys } : null,
    replacementBlockhash: anyBlockhash ? latestBlockhash(ledger, slot) : null,
  });
  return { context, value };
};

function accountsAfter(
  ledger: Ledger,
  { keys, readAfter, simulation }: SimulationRun,
  slot: bigint,
  wanted: SimulateTransactionAccountsConfig | null | undefined,
): readonly (UiAccount | null)[] | null {
  if (wanted === null || wanted === undefined) return null;
  const { addresses, encoding } = wanted;
  if (addresses.length > keys.length)
    throw serviceError('tooManySimulatedAccounts', { value: addresses.length, limit: keys.length });
  return addresses.map((address) => {
    const account = simulation.err === null ? readAfter(address) : undefined;
    if (account === undefined) return null;
    return viewAccount(
      ledger,
      { address, account },
      { encoding: encoding ?? null, slot, defaultEncoding: 'base64', read: readAfter },
    );
  });
}
