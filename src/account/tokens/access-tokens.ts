import { randomUUID } from 'node:crypto';
import { and, asc, eq, getTableColumns, isNull } from '../../store/drizzle.ts';
import { accessTokens } from '../../store/access-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { accounts } from '../../store/tables.ts';
import { DEVELOPMENT } from '../development-name.ts';
import { announce } from '../follow-store.ts';
import { createKeyText, shownPart } from '../key-text.ts';
import { digestKey } from '../keyring.ts';
import type { Scope } from './scopes.ts';
import { type TokenRing, toRecord } from './token-ring.ts';

/** The store that keeps tokens, and the ring that answers for it. */
export type TokenDeps = { readonly store: Store; readonly tokens: TokenRing };

/** Owner, scopes and expiry (Unix time) of a token to create; undefined: never expires. */
export type TokenParams = {
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAtMs: number | undefined;
};

/** A new token. `text` is the secret, which is stored nowhere. */
export type NewToken = { readonly id: string; readonly text: string };

/** A token as it is listed, without its secret. */
export type AccessToken = Omit<typeof accessTokens.$inferSelect, 'digest'> & {
  /** The account's name. */
  readonly account: string;
};

/** Channel that notifies processes of changed tokens: the id of a token. */
export const TOKEN_CHANNEL = 'keyslot_access_tokens';

/** Creates a token for an account, with at least one scope. Its digest is stored before the token works. */
export async function createToken(
  { store, tokens }: TokenDeps,
  { accountId, name, scopes, expiresAtMs }: TokenParams,
  nowMs: number,
): Promise<NewToken> {
  const text = createKeyText('ks_tok_');
  const row = {
    ...{ id: randomUUID(), accountId, name, prefix: shownPart('ks_tok_', text), digest: digestKey(text) },
    ...{ scopes: [...new Set(scopes)], createdAt: new Date(nowMs), revokedAt: null },
    expiresAt: expiresAtMs === undefined ? null : new Date(expiresAtMs),
  };
  await store.db.transaction(async (tx) => {
    await tx.insert(accessTokens).values(row);
    await announce(tx, TOKEN_CHANNEL, row.id);
  });
  tokens.put(toRecord(row));
  return { id: row.id, text };
}

/**
 * Revokes a token at once and for good, and notifies every process that follows the tokens of the store.
 * @returns when it was revoked; undefined when there is no such token.
 */
export async function revokeToken(
  { store, tokens }: TokenDeps,
  tokenId: string,
  nowMs: number,
): Promise<Date | undefined> {
  const revokedAt = await store.db.transaction(async (tx) => {
    await tx
      .update(accessTokens)
      .set({ revokedAt: new Date(nowMs) })
      .where(and(eq(accessTokens.id, tokenId), isNull(accessTokens.revokedAt)));
    await announce(tx, TOKEN_CHANNEL, tokenId);
    const [row] = await tx.select().from(accessTokens).where(eq(accessTokens.id, tokenId));
    return row?.revokedAt ?? undefined;
  });
  if (revokedAt !== undefined) tokens.revoke(tokenId);
  return revokedAt;
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
