import { eq } from '../../../store/drizzle.ts';
import { accounts, apiKeys } from '../../../store/tables.ts';
import { serviceError } from '../../../core/service-error.ts';
import { DEVELOPMENT } from '../../accounts/account-name.ts';
import { announceKey } from './follow-keys.ts';
import { assertKeysOfDay, assertRoomForKey, draftApiKey, type KeyDeps, type NewApiKey } from './api-keys.ts';

/** The key that replaces another. */
export type SuccessorKey = NewApiKey & {
  readonly name: string;
  /** When it stops working; undefined: not before it is revoked. */
  readonly until: Date | undefined;
  /** The old key works until then. */
  readonly oldUntil: Date;
};

/** A key to rotate. */
export type Rotation = {
  readonly keyId: string;
  /** Milliseconds that it continues to work, unless it expires before. */
  readonly overlapMs: number;
  /** Expiry of the token that requests the rotation; undefined: there is no token, or it does not expire. */
  readonly callerEnd?: Date | undefined;
  /** Maximum number of working keys of the account; undefined: no limit. Without an overlap, the new key replaces the old one. */
  readonly atMost?: number | undefined;
};

/**
 * Creates a key with the same rules to replace another, which works for `overlapMs` more. Both happen, or neither. If the requesting token
 * expires, the new key expires when the old one would have; otherwise it works until it is revoked.
 *
 * @throws ServiceError `keyNotFound`; `keyNotActive` for a key that was revoked or rotated before, or has expired;
 *   `developmentKeyProtected` for the development key; `outlivesToken` for a key that would expire later than the requesting token;
 *   `keysTooMany`.
 */
export async function rotateApiKey(
  { store, keyring, record }: KeyDeps,
  { keyId, overlapMs, callerEnd, atMost }: Rotation,
  nowMs: number,
): Promise<SuccessorKey> {
  const { key, name, oldUntil } = await store.transaction(async (tx) => {
    const [old] = await tx.select().from(apiKeys).where(eq(apiKeys.id, keyId)).for('update');
    if (old === undefined) throw serviceError('keyNotFound', { id: keyId });
    const { accountId, name, expiresAt } = old;
    const state = stateOf(old, nowMs);
    if (state !== 'active') throw serviceError('keyNotActive', { id: keyId, state });
    const [owner] = await tx.select().from(accounts).where(eq(accounts.id, accountId));
    if (owner?.kind === 'development' && name === DEVELOPMENT)
      throw serviceError('developmentKeyProtected', { id: keyId });
    if (callerEnd !== undefined && (expiresAt === null || expiresAt > callerEnd))
      throw serviceError('outlivesToken', {
        until: expiresAt?.toISOString() ?? 'it is revoked',
        expiresAt: callerEnd.toISOString(),
      });
    const oldUntil = new Date(Math.min(nowMs + overlapMs, expiresAt?.getTime() ?? Infinity));
    await assertKeysOfDay(tx, { accountId, atMost }, nowMs);
    if (overlapMs > 0) await assertRoomForKey(tx, { accountId, atMost }, nowMs);
    await tx.update(apiKeys).set({ expiresAt: oldUntil, endsWithToken: false }).where(eq(apiKeys.id, keyId));
    const rules = { origins: old.allowedOrigins, cidrs: old.allowedCidrs };
    const endsAt = callerEnd === undefined ? undefined : (expiresAt ?? undefined);
    const draft = draftApiKey({ accountId, name, rules, endsAt }, nowMs);
    await tx.insert(apiKeys).values(draft.row);
    await announceKey(tx, draft.row.id);
    await announceKey(tx, keyId);
    await record?.(tx, keyId);
    return { key: draft, name, oldUntil };
  });
  keyring.put(key.record);
  keyring.expire(keyId, oldUntil.getTime(), nowMs);
  return { id: key.row.id, text: key.text, name, until: key.key.expiresAt ?? undefined, oldUntil };
}

function stateOf(
  { revokedAt, expiresAt, endsWithToken }: typeof apiKeys.$inferSelect,
  nowMs: number,
): 'revoked' | 'rotated' | 'expired' | 'active' {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'active';
  if (!endsWithToken) return 'rotated';
  return expiresAt.getTime() <= nowMs ? 'expired' : 'active';
}
