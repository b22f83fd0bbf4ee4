import { randomUUID } from 'node:crypto';
import { and, asc, eq, getTableColumns, isNull } from 'drizzle-orm';
import { apiKeys } from '../store/tables.ts';
import type { Store } from '../store/open-store.ts';
import { createKeyText, shownPart } from './key-text.ts';
import { digestKey, type Keyring } from './keyring.ts';

/** Where keys are kept: the store, and the ring that answers for it. */
export type KeyPlaces = { readonly store: Store; readonly keyring: Keyring };

/** A key as it may be listed: nothing in it opens anything. */
export type ApiKey = {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The key's first characters. */
  readonly prefix: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
};

/** A new key; `text` is the key itself, which exists nowhere else. */
export type NewApiKey = { readonly id: string; readonly text: string };

/** Makes a key for an account. It is stored, as a digest, before it works. */
export async function createApiKey(
  { store, keyring }: KeyPlaces,
  { accountId, name }: { readonly accountId: string; readonly name: string },
  nowMs: number,
): Promise<NewApiKey> {
  const text = createKeyText('ks_key_');
  const [id, digest] = [randomUUID(), digestKey(text)];
  const prefix = shownPart('ks_key_', text);
  await store.db.insert(apiKeys).values({ id, accountId, name, prefix, digest, createdAt: new Date(nowMs) });
  keyring.put({ keyId: id, accountId, digest, revokedAtMs: undefined });
  return { id, text };
}

/** Revokes a key at once and for good. @returns false when there is no such key, or it was revoked before. */
export async function revokeApiKey(
  { store, keyring }: KeyPlaces,
  keyId: string,
  nowMs: number,
): Promise<boolean> {
  const revoked = await store.db
    .update(apiKeys)
    .set({ revokedAt: new Date(nowMs) })
    .where(and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id });
  if (revoked.length === 0) return false;
  keyring.revoke(keyId, nowMs);
  return true;
}

/** The keys of an account, oldest first, revoked ones included. */
export async function listApiKeys(store: Store, accountId: string): Promise<readonly ApiKey[]> {
  const { digest: _secret, ...shown } = getTableColumns(apiKeys);
  return store.db
    .select(shown)
    .from(apiKeys)
    .where(eq(apiKeys.accountId, accountId))
    .orderBy(asc(apiKeys.createdAt));
}
