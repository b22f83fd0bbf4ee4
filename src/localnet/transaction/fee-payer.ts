import type { TransactionError } from '../../../generated/ledger/types.ts';
import { SYSTEM_PROGRAM } from '../addresses/program-ids.ts';
import type { Account } from '../model.ts';
import { isInitializedNonce } from './durable-nonce.ts';

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
