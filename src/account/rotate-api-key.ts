import { and, eq, isNull } from '../store/drizzle.ts';
import { accounts, apiKeys } from '../store/tables.ts';
import type { Store } from '../store/open-store.ts';
import { serviceError } from '../base/service-error.ts';
import { DEVELOPMENT } from './development-name.ts';
import { announceKey } from './follow-keys.ts';
import { draftApiKey, type KeyDeps, type NewApiKey } from './api-keys.ts';

/** The key that replaces another. */
export type SuccessorKey = NewApiKey & {
  readonly name: string;
  /** The old key works until then. */
  readonly oldUntil: Date;
};

/**
 * Creates a key with the same rules to replace another, which works for `overlapMs` more. Both happen, or neither.
 *
 * @throws ServiceError `keyNotFound`; `keyNotActive` for a key that was revoked or rotated before; `developmentKeyProtected` for the development key.
 */
export async function rotateApiKey(
  { store, keyring, record }: KeyDeps,
  { keyId, overlapMs }: { readonly keyId: string; readonly overlapMs: number },
  nowMs: number,
): Promise<SuccessorKey> {
  const oldUntil = new Date(nowMs + overlapMs);
  const { key, name } = await store.transaction(async (tx) => {
    const [old] = await tx
      .update(apiKeys)
      .set({ expiresAt: oldUntil })
      .where(and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt), isNull(apiKeys.expiresAt)))
      .returning();
    if (old === undefined) throw await whyNotLive(tx, keyId);
    const [owner] = await tx.select().from(accounts).where(eq(accounts.id, old.accountId));
    if (owner?.kind === 'development' && old.name === DEVELOPMENT)
      throw serviceError('developmentKeyProtected', { id: keyId });
    const rules = { origins: old.allowedOrigins, cidrs: old.allowedCidrs };
    const draft = draftApiKey({ accountId: old.accountId, name: old.name, rules }, nowMs);
    await tx.insert(apiKeys).values(draft.row);
    await announceKey(tx, draft.row.id);
    await announceKey(tx, keyId);
    await record?.(tx, keyId);
    return { key: draft, name: old.name };
  });
  keyring.put(key.record);
  keyring.expire(keyId, oldUntil.getTime());
  return { id: key.row.id, text: key.text, name, oldUntil };
}

async function whyNotLive(db: Pick<Store['db'], 'select'>, keyId: string): Promise<Error> {
  const [row] = await db.select().from(apiKeys).where(eq(apiKeys.id, keyId));
  if (row === undefined) return serviceError('keyNotFound', { id: keyId });
  return serviceError('keyNotActive', { id: keyId, state: row.revokedAt === null ? 'rotated' : 'revoked' });
}
