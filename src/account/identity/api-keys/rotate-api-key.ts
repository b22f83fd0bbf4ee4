import { eq } from '../../../store/drizzle.ts';
import { apiKeys } from '../../../store/tables.ts';
import { serviceError } from '../../../core/service-error.ts';
import { announceKey } from './follow-keys.ts';
import {
  assertEndsBefore,
  assertKeysOfDay,
  assertNotDevelopmentKey,
  assertRoomForKey,
  draftApiKey,
  type KeyDeps,
  type NewApiKey,
  stateOfKey,
} from './api-keys.ts';
import { endOf, readRules } from './key-rules.ts';

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
    const end = endOf(old);
    const state = stateOfKey(old, nowMs);
    if (state !== 'active') throw serviceError('keyNotActive', { id: keyId, state });
    await assertNotDevelopmentKey(tx, old);
    assertEndsBefore(end, callerEnd);
    const oldUntil = new Date(Math.min(nowMs + overlapMs, end?.getTime() ?? Infinity));
    await assertKeysOfDay(tx, { accountId, atMost }, nowMs);
    if (overlapMs > 0) await assertRoomForKey(tx, { accountId, atMost }, nowMs);
    await tx.update(apiKeys).set({ expiresAt: oldUntil, endsWithToken: false }).where(eq(apiKeys.id, keyId));
    const tokenEnd = callerEnd === undefined ? undefined : (expiresAt ?? undefined);
    const draft = draftApiKey({ accountId, name, rules: readRules(old), tokenEnd }, nowMs);
    await tx.insert(apiKeys).values(draft.row);
    await announceKey(tx, draft.row.id);
    await announceKey(tx, keyId);
    await record?.(tx, keyId);
    return { key: draft, name, oldUntil };
  });
  keyring.put(key.record);
  keyring.expire(keyId, oldUntil.getTime(), nowMs);
  return { id: key.row.id, text: key.text, name, until: endOf(key.key) ?? undefined, oldUntil };
}
