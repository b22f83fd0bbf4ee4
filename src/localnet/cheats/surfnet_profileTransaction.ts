import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { SurfnetProfile } from '../../../generated/localnet/types.ts';
import { serviceError } from '../../base/service-error.ts';
import type { DecodedTransaction } from '../../wire/message.ts';
import { viewBank } from '../bank/bank-view.ts';
import { touchTransaction } from '../fork/touch-transaction.ts';
import type { Ledger } from '../ledger.ts';
import { writableKeys } from '../transaction/account-keys.ts';
import { firstInstructions, setsBudget } from '../transaction/first-instructions.ts';
import { assertValid, readTransaction } from '../transaction/read-transaction.ts';
import { type SimulationRun, simulateTransactionAt } from '../transaction/simulate.ts';
import { ownLogs, type ProfileView, profileOf, readonlyStates } from './profile-states.ts';

/** What the compute budget program takes for each of its instructions. */
const BUDGET_UNITS = 150n;

export const surfnetProfileTransaction: LedgerHandler<Ledger, 'surfnet_profileTransaction'> = async (
  ledger,
  text,
  tag,
  config,
) => {
  if (tag !== null && tag !== undefined)
    throw serviceError('invalidParam', { reason: 'profiles are not kept, so that a tag has no use' });
  const transaction = readTransaction(text, 'base64');
  const { version } = transaction.message;
  if (version === 1 && config?.depth === 'instruction')
    throw serviceError('invalidParam', {
      reason:
        'the instructions of a transaction of version 1 cannot be profiled; ask for the depth transaction',
    });
  await touchTransaction(ledger, transaction);
  const { slot, context } = viewBank(ledger, { commitment: 'processed' });
  assertValid(ledger, transaction, slot);
  const run = simulateAll(ledger, transaction, slot);
  const writable = new Set(writableKeys(transaction.message, run.simulation.loadedAddresses));
  const view: ProfileView = { ledger, slot, encoding: config?.encoding ?? 'jsonParsed', writable };
  const read = (address: string) => ledger.accounts.read(address, slot);
  const profiles =
    version !== 1 && config?.depth !== 'transaction' ? instructionProfiles(view, transaction) : undefined;
  const value = {
    slot,
    key: transaction.signatures[0] ?? '',
    ...(profiles === undefined ? {} : { instructionProfiles: [...profiles] }),
    transactionProfile: profileOf(view, run, { keys: run.keys, before: read, units: 0n }),
    readonlyAccountStates: readonlyStates(view, run.keys),
  };
  return { context, value };
};

/** Runs the transaction up to each of its instructions; what differs from one to the next is what the instruction did. */
function* instructionProfiles(view: ProfileView, transaction: DecodedTransaction): Generator<SurfnetProfile> {
  const { ledger, slot } = view;
  const { message } = transaction;
  let last = simulateAll(ledger, firstInstructions(transaction, 0), slot);
  let before = (address: string) => ledger.accounts.read(address, slot);
  for (const [index, instruction] of message.instructions.entries()) {
    const isBudget = setsBudget(message, instruction);
    const run = isBudget ? last : simulateAll(ledger, firstInstructions(transaction, index + 1), slot);
    const keys = [instruction.programIdIndex, ...instruction.accounts].flatMap(
      (each) => run.keys[each] ?? [],
    );
    const profile = profileOf(view, run, { keys, before, units: last.simulation.unitsConsumed });
    yield {
      ...profile,
      computeUnitsConsumed: isBudget ? BUDGET_UNITS : profile.computeUnitsConsumed,
      logMessages: ownLogs(message, run.simulation.logs, index),
    };
    if (run.simulation.err !== null) return;
    before = run.readAfter;
    last = run;
  }
}

function simulateAll(ledger: Ledger, transaction: DecodedTransaction, slot: bigint): SimulationRun {
  return simulateTransactionAt(ledger, transaction, { slot, verifySignatures: false, anyBlockhash: true });
}
