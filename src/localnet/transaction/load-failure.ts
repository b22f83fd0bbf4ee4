import type { TransactionError } from '../../../generated/ledger/types.ts';
import type { LedgerState } from '../ledger-state.ts';
import type { Message } from '../../core/wire/message.ts';
import { SYSTEM_PROGRAM } from '../addresses/program-ids.ts';
import type { Account } from '../model.ts';
import { isInitializedNonce } from './durable-nonce.ts';

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

/**
 * Returns the reason why an account cannot pay a fee (crate solana-svm, `validate_fee_payer`): it must be a wallet or a nonce account, and
 * stay rent-exempt; a wallet may be emptied. `rentExemption`: lamports that this many bytes must hold.
 */
export function feePayerError(
  account: Account | undefined,
  fee: bigint,
  rentExemption: (size: bigint) => bigint,
): TransactionError | undefined {
  if (account === undefined) return 'AccountNotFound';
  const isWallet = account.owner === SYSTEM_PROGRAM && account.data.length === 0;
  if (!isWallet && !isInitializedNonce(account)) return 'InvalidAccountForFee';
  const required = rentExemption(BigInt(account.data.length));
  const left = account.lamports - fee;
  if (left < (isWallet ? 0n : required)) return 'InsufficientFundsForFee';
  return left === 0n || left >= required ? undefined : { InsufficientFundsForRent: { account_index: 0 } };
}
