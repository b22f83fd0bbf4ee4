import type { TokenBalance } from '../../../generated/ledger/types.ts';
import { mintAmount } from '../encode/token-amount.ts';
import { readMint, readTokenAccount } from '../encode/token-layout.ts';
import type { Account } from '../model.ts';
import type { Message } from '../../core/wire/message.ts';
import { isTokenProgram } from '../addresses/is-token-program.ts';

/** Reads accounts, and the Unix time at which interest-bearing amounts are shown. */
export type TokenState = {
  readonly read: (address: string) => Account | undefined;
  readonly nowSeconds: bigint;
};

/**
 * Returns the balances of the token accounts among a transaction's keys. Like a node it considers only transactions with a token program
 * among the keys, and not programs that are called.
 */
export function tokenBalances(
  message: Message,
  keys: readonly string[],
  state: TokenState,
): readonly TokenBalance[] {
  if (!keys.some(isTokenProgram)) return [];
  const called = new Set(message.instructions.map(({ programIdIndex }) => programIdIndex));
  return keys.flatMap((address, accountIndex) =>
    called.has(accountIndex) || isTokenProgram(address) ? [] : balanceOf(address, accountIndex, state),
  );
}

function balanceOf(
  address: string,
  accountIndex: number,
  { read, nowSeconds }: TokenState,
): readonly TokenBalance[] {
  const account = read(address);
  if (account === undefined || !isTokenProgram(account.owner)) return [];
  const token = readTokenAccount(account.data);
  const mintAccount = token && read(token.mint);
  const mint = mintAccount && readMint(mintAccount.data);
  if (token === undefined || mint === undefined) return [];
  const uiTokenAmount = mintAmount(token.amount, mint, nowSeconds);
  return [{ accountIndex, mint: token.mint, owner: token.owner, programId: account.owner, uiTokenAmount }];
}
