import type { TransactionError } from '../../../generated/ledger/types.ts';
import type { Ledger } from '../ledger.ts';
import type { Message } from '../model.ts';

type Attempt = { readonly message: Message; readonly fee: bigint; readonly slot: bigint };

/**
 * The error with which a transaction lands although none of its instructions ran, because its accounts could not be
 * loaded after its fee payer was found good (SIMD-0082); undefined if it does not land. The runtime calls a program that
 * does not exist invalid, and measures lookup tables before it looks at the payer; a validator does neither.
 */
export function chargedFailure(
  { accounts }: Ledger,
  { message, fee, slot }: Attempt,
  error: TransactionError,
): TransactionError | undefined {
  const payer = accounts.read(message.staticKeys[0] ?? '', slot);
  if (payer === undefined || payer.lamports < fee) return undefined;
  if (error === 'MaxLoadedAccountsDataSizeExceeded' || error === 'ProgramAccountNotFound') return error;
  if (error !== 'InvalidProgramForExecution') return undefined;
  const programs = message.instructions.map(({ programIdIndex }) => message.staticKeys[programIdIndex] ?? '');
  const refused = programs.find((address) => accounts.read(address, slot)?.executable !== true);
  const exists = refused === undefined || accounts.read(refused, slot) !== undefined;
  return exists ? error : 'ProgramAccountNotFound';
}
