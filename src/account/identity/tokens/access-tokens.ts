import { randomUUID } from 'node:crypto';
import type { ListPosition } from '../../../core/read-page.ts';
import { serviceError } from '../../../core/service-error.ts';
import { and, asc, desc, eq, getTableColumns, gt, isNull, or, sql } from '../../../store/drizzle.ts';
import { accessTokens } from '../../../store/access-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { accounts } from '../../../store/tables.ts';
import type { RecordChange } from '../api-keys/api-keys.ts';
import { DEVELOPMENT } from '../../accounts/account-name.ts';
import { announce } from '../../../store/follow-store.ts';
import { createKeyText, shownPart } from '../api-keys/key-text.ts';
import { digestKey } from '../api-keys/keyring.ts';
import { lockAccount } from '../../accounts/find-account.ts';
import { assertOperates } from '../operators.ts';
import { isOperatorScope, type Scope } from './scopes.ts';
import { type TokenRing, toRecord } from './token-ring.ts';

/** The store that keeps tokens, and the ring that answers for it. */
export type TokenDeps = {
  readonly store: Store;
  readonly tokens: TokenRing;
  /** Records a change of a token, in the transaction that makes it. */
  readonly record?: RecordChange;
};

/** Owner, scopes and expiry (Unix time) of a token to create; undefined: never expires. */
export type TokenParams = {
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAtMs: number | undefined;
  /** Maximum number of working tokens of the account; undefined: no limit. */
  readonly atMost?: number | undefined;
};

/** A new token. `text` is the secret, which is stored nowhere. */
export type NewToken = { readonly id: string; readonly text: string };

/** A token without its owner, who is known. */
export type OwnToken = Omit<AccessToken, 'account' | 'accountId'>;

/** A token as it is listed, without its secret. */
export type AccessToken = Omit<typeof accessTokens.$inferSelect, 'digest'> & {
  /** The account's name. */
  readonly account: string;
};

/** Channel that notifies processes of changed tokens: the id of a token. */
export const TOKEN_CHANNEL = 'keyslot_access_tokens';

/**
 * Creates a token for an account, with at least one scope. Its digest is stored before the token works.
 *
 * @throws ServiceError `accountNotOperator` for a scope of an operator, if the account does not operate the server; `tokensTooMany`.
 */
export async function createToken(
  { store, tokens, record }: TokenDeps,
  { accountId, name, scopes, expiresAtMs, atMost }: TokenParams,
  nowMs: number,
): Promise<NewToken & { readonly token: OwnToken }> {
  const text = createKeyText('ks_tok_');
  const row = {
    id: randomUUID(),
    accountId,
    name,
    prefix: shownPart('ks_tok_', text),
    digest: digestKey(text),
    scopes: [...new Set(scopes)],
    createdAt: new Date(nowMs),
    revokedAt: null,
    expiresAt: expiresAtMs === undefined ? null : new Date(expiresAtMs),
  };
  await store.transaction(async (tx) => {
    if (scopes.some(isOperatorScope)) await assertOperates(tx, accountId);
    if (atMost !== undefined) await assertRoom(tx, { accountId, atMost }, nowMs);
    await tx.insert(accessTokens).values(row);
    await announce(tx, TOKEN_CHANNEL, row.id);
    await record?.(tx, row.id);
  });
  tokens.put(toRecord(row));
  return { id: row.id, text, token: row };
}

async function assertRoom(
  tx: StoreTransaction,
  { accountId, atMost }: { readonly accountId: string; readonly atMost: number },
  nowMs: number,
): Promise<void> {
  await lockAccount(tx, accountId);
  const isWorking = and(
    ...[eq(accessTokens.accountId, accountId), isNull(accessTokens.revokedAt)],
    or(isNull(accessTokens.expiresAt), gt(accessTokens.expiresAt, new Date(nowMs))),
  );
  const value = await tx.$count(accessTokens, isWorking);
  if (value >= atMost) throw serviceError('tokensTooMany', { value, limit: atMost });
}

/** Sets the scopes of a token, and notifies every process that follows the tokens of the store. */
export async function setScopes(
  { store, tokens }: TokenDeps,
  tokenId: string,
  scopes: readonly Scope[],
): Promise<void> {
  const changed = await store.transaction(async (tx) => {
    const rows = await tx
      .update(accessTokens)
      .set({ scopes: [...scopes] })
      .where(eq(accessTokens.id, tokenId))
      .returning();
    await announce(tx, TOKEN_CHANNEL, tokenId);
    return rows;
  });
  for (const row of changed) tokens.put(toRecord(row));
}

/**
 * Revokes a token at once and for good, and notifies every process that follows the tokens of the store.
 * @returns when it was revoked; undefined when there is no such token.
 */
export async function revokeToken(
  { store, tokens, record }: TokenDeps,
  tokenId: string,
  nowMs: number,
): Promise<Date | undefined> {
  const revokedAt = await store.transaction(async (tx) => {
    const revoked = await tx
      .update(accessTokens)
      .set({ revokedAt: new Date(nowMs) })
      .where(and(eq(accessTokens.id, tokenId), isNull(accessTokens.revokedAt)))
      .returning({ id: accessTokens.id });
    await announce(tx, TOKEN_CHANNEL, tokenId);
    if (revoked.length > 0) await record?.(tx, tokenId);
    const [row] = await tx.select().from(accessTokens).where(eq(accessTokens.id, tokenId));
    return row?.revokedAt ?? undefined;
  });
  if (revokedAt !== undefined) tokens.revoke(tokenId);
  return revokedAt;
}

/** Returns tokens of an account after a position, newest first, including revoked ones. */
export function readAccessTokens(
  store: Pick<Store, 'db'>,
  accountId: string,
  { after, limit }: { readonly after: ListPosition | undefined; readonly limit: number },
): Promise<readonly OwnToken[]> {
  const { createdAt, id } = accessTokens;
  const isBehind =
    after && sql`(${createdAt}, ${id}) < (${after.at.toISOString()}::timestamptz, ${after.id}::uuid)`;
  return store.db
    .select()
    .from(accessTokens)
    .where(and(eq(accessTokens.accountId, accountId), isBehind))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit);
}

/** True when an account has a token with this id. */
export async function ownsToken(
  store: Pick<Store, 'db'>,
  accountId: string,
  tokenId: string,
): Promise<boolean> {
  const found = await store.db
    .select({ id: accessTokens.id })
    .from(accessTokens)
    .where(and(eq(accessTokens.id, tokenId), eq(accessTokens.accountId, accountId)));
  return found.length > 0;
}

/** Lists the tokens of one account, or of all, oldest first, revoked ones included. */
export async function listTokens(store: Store, account?: string): Promise<readonly AccessToken[]> {
  const { digest: _secret, ...shown } = getTableColumns(accessTokens);
  const rows = await store.db
    .select({ ...shown, account: accounts.name })
    .from(accessTokens)
    .innerJoin(accounts, eq(accounts.id, accessTokens.accountId))
    .orderBy(asc(accessTokens.createdAt), asc(accessTokens.id));
  return rows
    .map((row) => ({ ...row, account: row.account ?? DEVELOPMENT }))
    .filter((row) => account === undefined || row.account === account);
}
