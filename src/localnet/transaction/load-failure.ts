import type { TransactionError } from '../../../generated/ledger/types.ts';
import type { LedgerState } from '../ledger-state.ts';
import type { Message } from '../../wire/message.ts';
import { feePayerError } from './fee-payer.ts';

type Attempt = { readonly message: Message; readonly fee: bigint; readonly slot: bigint };

/** The reason why none of a transaction's instructions ran, and whether it lands with that error, its fee charged. */
export type LoadFailure = { readonly error: TransactionError; readonly isCharged: boolean };

/**
 * Returns a validator's result for a transaction that the runtime refused: it lands if its accounts could not be loaded after its fee payer
 * was validated (SIMD-0082). The runtime calls a program that does not exist invalid, and measures lookup tables before it checks the
 * payer; a validator does neither.
 */
export function loadFailure(
  { accounts, runtime }: LedgerState,
  { message, fee, slot }: Attempt,
  refusal: TransactionError,
): LoadFailure {
  if (!isOfLoading(refusal)) return { error: refusal, isCharged: false };
  const payer = accounts.read(message.staticKeys[0] ?? '', slot);
  const error = feePayerError(payer, fee, (size) => runtime.rentExemption(size));
  if (error !== undefined) return { error, isCharged: false };
  if (refusal !== 'InvalidProgramForExecution') return { error: refusal, isCharged: true };
  const programs = message.instructions.map(({ programIdIndex }) => message.staticKeys[programIdIndex] ?? '');
  const refused = programs.find((address) => accounts.read(address, slot)?.executable !== true);
  const exists = refused === undefined || accounts.read(refused, slot) !== undefined;
  return { error: exists ? refusal : 'ProgramAccountNotFound', isCharged: true };
}

function isOfLoading(error: TransactionError): boolean {
  return (
    error === 'MaxLoadedAccountsDataSizeExceeded' ||
    error === 'ProgramAccountNotFound' ||
    error === 'InvalidProgramForExecution'
  );
}
