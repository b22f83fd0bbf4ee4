import type {
  AccountConfig,
  KeyedAccount as UiKeyedAccount,
  TokenAccountsFilter,
} from '../../../generated/ledger/types.ts';
import { serviceError } from '../../core/service-error.ts';
import { viewAccounts } from './account-view.ts';
import { sortByAddress } from './sort-by-address.ts';
import { type BankView, viewBank } from '../bank/bank-view.ts';
import {
  type MintState,
  readMint,
  readTokenAccount,
  type TokenAccountState,
} from '../encode/token-layout.ts';
import type { Ledger } from '../ledger.ts';
import type { Account } from '../model.ts';
import { isTokenProgram } from '../addresses/is-token-program.ts';

/**
 * Reads a mint.
 *
 * @throws ServiceError invalidParam: there is no such mint.
 */
export function findMint(ledger: Ledger, address: string, slot: bigint): MintState {
  const account = ledger.accounts.read(address, slot);
  if (account === undefined) throw serviceError('invalidParam', { reason: 'could not find mint' });
  const mint = readMint(account.data);
  if (mint === undefined) throw serviceError('invalidParam', { reason: 'Token mint could not be unpacked' });
  if (!isTokenProgram(account.owner)) throw serviceError('invalidParam', { reason: 'not a Token mint' });
  return mint;
}

/** Returns the token account in an account of a token program. */
export function tokenAccountOf({ owner, data }: Account): TokenAccountState | undefined {
  return isTokenProgram(owner) ? readTokenAccount(data) : undefined;
}

type TokenAccountQuery = {
  readonly by: 'tokenOwners' | 'delegates';
  readonly address: string;
  readonly filter: TokenAccountsFilter;
  readonly config: AccountConfig | null | undefined;
};

/** Returns the token accounts of an owner or a delegate, in the form of both methods. */
export function viewTokenAccounts(
  ledger: Ledger,
  { by, address, filter, config }: TokenAccountQuery,
): { readonly context: BankView['context']; readonly value: readonly UiKeyedAccount[] } {
  const { slot, context } = viewBank(ledger, config);
  const { program, mint } = resolveFilter(ledger, filter, slot);
  const found = ledger.accounts.tokenAccounts(by, address, slot).filter(({ account }) => {
    const token = tokenAccountOf(account);
    if (token === undefined || account.owner !== program) return false;
    const holder = by === 'tokenOwners' ? token.owner : token.delegate;
    return holder === address && (mint === undefined || token.mint === mint);
  });
  return {
    context,
    value: viewAccounts(ledger, sortByAddress(found), { ...config, slot, defaultEncoding: 'binary' }),
  };
}

function resolveFilter(
  ledger: Ledger,
  filter: TokenAccountsFilter,
  slot: bigint,
): { readonly program: string; readonly mint?: string } {
  if ('mint' in filter) {
    findMint(ledger, filter.mint, slot);
    const program = ledger.accounts.read(filter.mint, slot)?.owner ?? '';
    return { program, mint: filter.mint };
  }
  if (!isTokenProgram(filter.programId))
    throw serviceError('invalidParam', { reason: 'unrecognized Token program id' });
  return { program: filter.programId };
}
