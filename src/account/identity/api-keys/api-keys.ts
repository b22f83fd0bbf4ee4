import { randomUUID } from 'node:crypto';
import type { AuditChange } from '../../../../runtime/audit-bytes.ts';
import type { ListPosition } from '../../../core/read-page.ts';
import { serviceError } from '../../../core/service-error.ts';
import { and, asc, desc, eq, getTableColumns, gt, isNull, or, sql } from '../../../store/drizzle.ts';
import { accounts, apiKeys } from '../../../store/tables.ts';
import type { Store } from '../../../store/open-store.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { DEVELOPMENT } from '../../accounts/account-name.ts';
import { announceKey } from './follow-keys.ts';
import { endOf, type KeyRules, NO_RULES, toColumns } from './key-rules.ts';
import { createKeyText, shownPart } from './key-text.ts';
import { lockAccount } from '../../accounts/find-account.ts';
import { compile, digestKey, type KeyRecord, type Keyring } from './keyring.ts';

/** The store that keeps keys, and the ring that answers for it. */
export type KeyDeps = {
  readonly store: Store;
  readonly keyring: Keyring;
  /** Records a change of a key, in the transaction that makes it. */
  readonly record?: RecordChanges;
};

/** Records a change of something with an id. */
export type RecordChange = (tx: StoreTransaction, id: string) => Promise<void>;

/** As `RecordChange`, with what was changed. */
export type RecordChanges = (
  tx: StoreTransaction,
  id: string,
  changes?: readonly AuditChange[],
) => Promise<void>;

/** An API key as it is listed, without its secret. */
export type ApiKey = {
  readonly id: string;
  readonly accountId: string;
  /** The account's name. */
  readonly account: string;
  readonly name: string;
  /** The key's first characters. */
  readonly prefix: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  /** When a rotated key stops working, or a key made by a token that expires. */
  readonly expiresAt: Date | null;
  /** True for a key that was not rotated: it expires with the token that made it. */
  readonly endsWithToken: boolean;
  /** As in KeyRules. */
  readonly allowedOrigins: readonly string[];
  readonly allowedCidrs: readonly string[];
  readonly allowedNetworks: readonly string[];
  readonly allowedMethods: readonly string[];
  readonly requestsPerSecond: number | null;
  readonly requestsPerDay: number | null;
  readonly endsAt: Date | null;
};

/** A new key. `text` is the secret, which is stored nowhere. */
export type NewApiKey = { readonly id: string; readonly text: string };

/** A key without its owner, who is known. */
export type OwnApiKey = Omit<ApiKey, 'account' | 'accountId'>;

/** Owner, name and rules of a key to create. Without rules it may be used from anywhere for everything. */
export type ApiKeyParams = {
  readonly accountId: string;
  readonly name: string;
  readonly rules?: Partial<KeyRules>;
  /** Expiry of the token that creates the key, and so of the key; undefined: it works until it is revoked. */
  readonly tokenEnd?: Date | undefined;
  /** Maximum number of working keys of the account; undefined: no limit. */
  readonly atMost?: number | undefined;
};

/** The parts of a new key. `text` must leave the process at most once. */
export type DraftKey = {
  readonly text: string;
  readonly row: typeof apiKeys.$inferInsert;
  /** As it is listed. */
  readonly key: OwnApiKey;
  readonly record: KeyRecord;
};

/** Drafts a key that is neither in the store nor in the ring yet. */
export function draftApiKey(
  { accountId, name, rules: given, tokenEnd }: ApiKeyParams,
  nowMs: number,
): DraftKey {
  const rules = { ...NO_RULES, ...given };
  const text = createKeyText('ks_key_');
  const [id, digest] = [randomUUID(), digestKey(text)];
  const prefix = shownPart('ks_key_', text);
  const key = {
    id,
    name,
    prefix,
    createdAt: new Date(nowMs),
    revokedAt: null,
    expiresAt: tokenEnd ?? null,
    endsWithToken: tokenEnd !== undefined,
    ...toColumns(rules),
  };
  return {
    text,
    key,
    row: { ...key, accountId, digest },
    record: {
      keyId: id,
      accountId,
      digest,
      isRevoked: false,
      expiresAtMs: endOf(key)?.getTime(),
      ...compile(id, rules),
    },
  };
}

/**
 * Creates a key for an account. Its digest is stored before the key works.
 *
 * @throws ServiceError `keysTooMany`.
 */
export async function createApiKey(
  { store, keyring, record }: KeyDeps,
  wanted: ApiKeyParams,
  nowMs: number,
): Promise<NewApiKey & { readonly key: OwnApiKey }> {
  const draft = draftApiKey(wanted, nowMs);
  const { id } = draft.row;
  await store.transaction(async (tx) => {
    await assertRoomForKey(tx, wanted, nowMs);
    await assertKeysOfDay(tx, wanted, nowMs);
    await tx.insert(apiKeys).values(draft.row);
    await announceKey(tx, id);
    await record?.(tx, id);
  });
  keyring.put(draft.record);
  return { id, text: draft.text, key: draft.key };
}

/**
 * Checks that an account may have one key more, and blocks other changes of the account until the transaction ends.
 *
 * @throws ServiceError `keysTooMany`.
 */
export async function assertRoomForKey(
  tx: StoreTransaction,
  { accountId, atMost }: Pick<ApiKeyParams, 'accountId' | 'atMost'>,
  nowMs: number,
): Promise<void> {
  if (atMost === undefined) return;
  await lockAccount(tx, accountId);
  const isWorking = and(
    ...[eq(apiKeys.accountId, accountId), isNull(apiKeys.revokedAt)],
    or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, new Date(nowMs))),
    or(isNull(apiKeys.endsAt), gt(apiKeys.endsAt, new Date(nowMs))),
  );
  const value = await tx.$count(apiKeys, isWorking);
  const remedy = 'Revoke one first, or rotate without an overlap.';
  if (value >= atMost)
    throw serviceError('keysTooMany', { which: 'that work', value, limit: atMost, remedy });
}

const DAY_MS = 86_400_000;
/** Keys that an account makes within a day: this many times as many as may work. */
const MADE_A_DAY = 10;

/**
 * Checks that an account may make one key more within a day: a key that has ended is still known for a week.
 *
 * @throws ServiceError `keysTooMany`.
 */
export async function assertKeysOfDay(
  tx: StoreTransaction,
  { accountId, atMost }: Pick<ApiKeyParams, 'accountId' | 'atMost'>,
  nowMs: number,
): Promise<void> {
  if (atMost === undefined) return;
  const isNew = and(eq(apiKeys.accountId, accountId), gt(apiKeys.createdAt, new Date(nowMs - DAY_MS)));
  const [value, limit] = [await tx.$count(apiKeys, isNew), MADE_A_DAY * atMost];
  const remedy = 'Make more tomorrow, or ask the operator.';
  if (value >= limit) throw serviceError('keysTooMany', { which: 'made within a day', value, limit, remedy });
}

type Row = typeof apiKeys.$inferSelect;

/** The state of a key: whether it works, or why not any longer. A rotated one may still work. */
export function stateOfKey(
  key: Pick<Row, 'revokedAt' | 'expiresAt' | 'endsWithToken' | 'endsAt'>,
  nowMs: number,
): 'revoked' | 'rotated' | 'expired' | 'active' {
  const end = endOf(key);
  if (key.revokedAt !== null) return 'revoked';
  if (end !== null && end.getTime() <= nowMs) return 'expired';
  return key.expiresAt === null || key.endsWithToken ? 'active' : 'rotated';
}

/** @throws ServiceError `developmentKeyProtected` for the development key, which the server makes. */
export async function assertNotDevelopmentKey(
  tx: StoreTransaction,
  { id, accountId, name }: Pick<Row, 'id' | 'accountId' | 'name'>,
): Promise<void> {
  if (name !== DEVELOPMENT) return;
  const [owner] = await tx.select().from(accounts).where(eq(accounts.id, accountId));
  if (owner?.kind === 'development') throw serviceError('developmentKeyProtected', { id });
}

/**
 * @param end of a key; null: it works until it is revoked.
 * @param callerEnd expiry of the token that requests a change; undefined: there is no token, or it does not expire.
 * @throws ServiceError `outlivesToken`.
 */
export function assertEndsBefore(end: Date | null, callerEnd: Date | undefined): void {
  if (callerEnd === undefined || (end !== null && end <= callerEnd)) return;
  const until = end?.toISOString() ?? 'it is revoked';
  throw serviceError('outlivesToken', { until, expiresAt: callerEnd.toISOString() });
}

/**
 * Revokes a key at once and for good, and notifies every process that follows the keys of the store.
 * @returns when it was revoked; undefined when there is no such key.
 */
export async function revokeApiKey(
  { store, keyring, record }: KeyDeps,
  keyId: string,
  nowMs: number,
): Promise<Date | undefined> {
  await store.transaction(async (tx) => {
    const revoked = await tx
      .update(apiKeys)
      .set({ revokedAt: new Date(nowMs) })
      .where(and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt)))
      .returning({ id: apiKeys.id });
    await announceKey(tx, keyId);
    if (revoked.length > 0) await record?.(tx, keyId);
  });
  const [row] = await store.db
    .select({ revokedAt: apiKeys.revokedAt })
    .from(apiKeys)
    .where(eq(apiKeys.id, keyId));
  const revokedAt = row?.revokedAt ?? undefined;
  if (revokedAt !== undefined) keyring.revoke(keyId);
  return revokedAt;
}

/** Returns keys of an account after a position, newest first, including revoked ones. */
export function readApiKeys(
  store: Pick<Store, 'db'>,
  accountId: string,
  { after, limit }: { readonly after: ListPosition | undefined; readonly limit: number },
): Promise<readonly OwnApiKey[]> {
  const { createdAt, id } = apiKeys;
  const isBehind =
    after && sql`(${createdAt}, ${id}) < (${after.at.toISOString()}::timestamptz, ${after.id}::uuid)`;
  return store.db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), isBehind))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit);
}

/** True when an account has a key with this id. */
export async function ownsApiKey(
  store: Pick<Store, 'db'>,
  accountId: string,
  keyId: string,
): Promise<boolean> {
  const found = await store.db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.id, keyId), eq(apiKeys.accountId, accountId)));
  return found.length > 0;
}

/** True when a key with this id exists. */
export async function hasApiKey(store: Store, keyId: string): Promise<boolean> {
  const found = await store.db.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.id, keyId));
  return found.length > 0;
}

/** Lists the keys of one account, or of all, oldest first, revoked ones included. */
export async function listApiKeys(store: Store, accountId?: string): Promise<readonly ApiKey[]> {
  const { digest: _secret, ...shown } = getTableColumns(apiKeys);
  const rows = await store.db
    .select({ ...shown, account: accounts.name })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(accountId === undefined ? undefined : eq(apiKeys.accountId, accountId))
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));
  return rows.map((row) => ({ ...row, account: row.account ?? DEVELOPMENT }));
}
