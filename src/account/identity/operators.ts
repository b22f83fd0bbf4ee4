import { serviceError } from '../../core/service-error.ts';
import { and, eq, ne } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { accounts } from '../../store/tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { RecordChange } from './api-keys/api-keys.ts';
import { DEVELOPMENT } from '../accounts/account-name.ts';
import { isCalled } from '../accounts/accounts.ts';
import { announce } from '../../store/follow-store.ts';
import { isOperatorScope, type Scope } from './tokens/scopes.ts';
import type { TokenRing } from './tokens/token-ring.ts';

/** The store that knows who operates the server, and the ring that answers for it. */
export type OperatorDeps = {
  readonly store: Store;
  readonly tokens: TokenRing;
  /** Records a change of the account, in the transaction that makes it. */
  readonly record?: RecordChange | undefined;
};

/** Channel that notifies processes of accounts that operate the server or no longer do: the id of the account. */
export const OPERATOR_CHANNEL = 'keyslot_operators';

/** Lets an account operate the server, or not. Nothing is written or recorded if that does not change. @returns true if it changed. */
export async function setOperates(
  { store, tokens, record }: OperatorDeps,
  { accountId, operates }: { readonly accountId: string; readonly operates: boolean },
): Promise<boolean> {
  const isChanged = await store.transaction(async (tx) => {
    const changed = await tx
      .update(accounts)
      .set({ operates })
      .where(and(eq(accounts.id, accountId), ne(accounts.operates, operates)))
      .returning({ id: accounts.id });
    await announce(tx, OPERATOR_CHANNEL, accountId);
    if (changed.length > 0) await record?.(tx, accountId);
    return changed.length > 0;
  });
  tokens.setOperates(accountId, operates);
  return isChanged;
}

/** Reads into a ring which accounts operate the server: of all, or of one. */
export async function readOperators(store: Store, ring: TokenRing, accountId?: string): Promise<void> {
  const { id, operates } = accounts;
  const wanted = accountId === undefined ? undefined : eq(id, accountId);
  const rows = await store.db.select({ id, operates }).from(accounts).where(wanted);
  for (const row of rows) ring.setOperates(row.id, row.operates);
}

/** Returns the ids of the accounts that operate the server. */
export async function operatingAccounts(tx: Pick<StoreTransaction, 'select'>): Promise<readonly string[]> {
  const { id, operates } = accounts;
  const rows = await tx.select({ id }).from(accounts).where(eq(operates, true));
  return rows.map((row) => row.id);
}

/** @throws ServiceError `accountNotOperator` when the account does not operate the server; the transaction keeps it so. */
export async function assertOperates(tx: Pick<StoreTransaction, 'select'>, accountId: string): Promise<void> {
  const { name, operates } = accounts;
  const [row] = await tx
    .select({ name, operates })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .for('share');
  if (row?.operates !== true) throw serviceError('accountNotOperator', { name: row?.name ?? DEVELOPMENT });
}

/**
 * Call it before an account is created for a token.
 *
 * @throws ServiceError `accountNotOperator` for scopes of an operator, if no account of this name operates the server.
 */
export async function assertMayHaveScopes(
  { db }: Pick<Store, 'db'>,
  account: string,
  scopes: readonly Scope[],
): Promise<void> {
  if (!scopes.some(isOperatorScope)) return;
  const [row] = await db.select({ operates: accounts.operates }).from(accounts).where(isCalled(account));
  if (row?.operates !== true) throw serviceError('accountNotOperator', { name: account });
}
