import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type {
  Claim,
  IdempotencyFinding,
  IdempotentAnswer,
  IdempotentRequest,
  ReplacementRequest,
} from './idempotent-request.ts';
import { and, eq, gt, isNotNull, isNull, lte, notExists, sql, or } from '../../store/drizzle.ts';
import { HEADERS, isHeaderValue } from '../../../generated/wallets/operations.ts';
import { idempotencyKeys, gateways } from '../../store/access-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { wallets } from '../../store/wallet-tables.ts';
import { serviceError } from '../../core/service-error.ts';
import type { InstallationKey } from '../sealing/installation-key.ts';
import { lockBooks } from '../billing/books/books.ts';
import { reservations } from '../../store/money-tables.ts';

/**
 * Runs requests once per key. A key is valid for its account and for 24 hours. If a process ends before its work is finished, the next such
 * request resumes the work if it has created wallets, and the work is dropped if not; a key without a live process is never in use.
 */
export type Idempotency = {
  /** HMAC-SHA256 that identifies equal requests: pass everything that the outcome depends on, always in the same order. */
  readonly fingerprint: (...parts: readonly (string | Uint8Array)[]) => Uint8Array;
  /** Claims a key, in a transaction that is committed before the work begins. */
  readonly begin: (tx: StoreTransaction, request: IdempotentRequest) => Promise<IdempotencyFinding>;
  /**
   * Call it first in a transaction that commits part of the work: no other request gets the key before the part is stored.
   * @throws ServiceError `reservationClosed` when the claim is lost: the transaction must not be committed.
   */
  readonly hold: (tx: StoreTransaction, claim: Claim) => Promise<void>;
  /**
   * Stores the answer, in the transaction that commits the work.
   * @throws ServiceError `reservationClosed` when the claim is lost, `reservationCharged` when another process charged for the work: that
   *   transaction must not be committed.
   */
  readonly finish: (tx: StoreTransaction, claim: Claim, answer: IdempotentAnswer) => Promise<void>;
  /**
   * Releases the key of unfinished work: the same request resumes work that has created wallets, and any request may have the key of work
   * that created none. Undelivered wallets that were to be made again, of which nothing was delivered, can be requested again; so can those
   * of work that is finished, if only its end was not answered. Has no effect if the claim is lost.
   */
  readonly release: (tx: StoreTransaction, claim: Claim) => Promise<void>;
  /**
   * Records that the response of finished work has ended: wallets that it did not deliver can be requested from now on, unless the client
   * was seen to receive it whole.
   */
  readonly close: (tx: StoreTransaction, claim: Claim, isDrained: boolean) => Promise<void>;
  /** Call it when the work is over, even after a failure: a key that the store could not release is no longer in use. */
  readonly end: (claim: Claim) => void;
};

const ATTEMPTS = 3;
const NOTHING = new Uint8Array(0);

/** @param ownerId the id of this process in `gateways`. */
export function createIdempotency({
  ownerId,
  installationKey,
}: {
  readonly ownerId: string;
  readonly installationKey: InstallationKey;
}): Idempotency {
  const isClaimed = ({ accountId, key, claimId }: Claim) =>
    and(
      eq(idempotencyKeys.accountId, accountId),
      eq(idempotencyKeys.key, key),
      eq(idempotencyKeys.claimId, claimId),
    );
  const isOwn = (claim: Claim) => and(isClaimed(claim), isNull(idempotencyKeys.status));
  const isFinished = (claim: Claim) => and(isClaimed(claim), isNotNull(idempotencyKeys.status));
  const underWay = new Set<string>();
  return {
    fingerprint: (...parts) => {
      const hmac = createHmac('sha256', installationKey.derive('idempotency fingerprints'));
      for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:`).update(part);
      return hmac.digest();
    },
    begin: (tx, request) => begin(tx, { ownerId, underWay }, request),
    hold: async (tx, claim) => {
      const { key } = idempotencyKeys;
      const held = await tx.select({ key }).from(idempotencyKeys).where(isOwn(claim)).for('update');
      if (held.length === 0) throw serviceError('reservationClosed');
    },
    finish: async (tx, claim, { status, body }) => {
      const kept = await tx
        .update(idempotencyKeys)
        .set({ status, ...toColumns(body) })
        .where(isOwn(claim))
        .returning({ key: idempotencyKeys.key });
      if (kept.length > 0) return;
      const isCharged = and(isFinished(claim), gt(idempotencyKeys.charged, 0));
      const charged = await tx.select({ key: idempotencyKeys.key }).from(idempotencyKeys).where(isCharged);
      throw serviceError(charged.length > 0 ? 'reservationCharged' : 'reservationClosed');
    },
    release: async (tx, claim) => {
      await lockKey(tx, claim);
      // Waits for a group of its wallets whose storing transaction has an unknown outcome.
      await lockBooks(tx, claim.accountId);
      const made = tx.select({ id: wallets.id }).from(wallets);
      const hasMadeNone = notExists(made.where(eq(wallets.workId, idempotencyKeys.workId)));
      await tx.delete(idempotencyKeys).where(and(isOwn(claim), hasMadeNone));
      await tx.update(idempotencyKeys).set({ ownerId: null }).where(isOwn(claim));
      await tx.update(idempotencyKeys).set({ ownerId: null, isReplaced: false }).where(isFinished(claim));
    },
    close: async (tx, claim, isDrained) => {
      await tx.update(idempotencyKeys).set({ ownerId: null, isDrained }).where(isFinished(claim));
    },
    end: ({ claimId }) => void underWay.delete(claimId),
  };
}

/**
 * Returns the value of the header Idempotency-Key.
 * @throws ServiceError `idempotencyKeyInvalid` unless it has 1 to 255 characters of printable ASCII without spaces.
 */
export function readIdempotencyKey(text: string): string {
  if (isHeaderValue('Idempotency-Key', text)) return text;
  throw serviceError('idempotencyKeyInvalid', { limit: HEADERS['Idempotency-Key'].maxLength });
}

/** Number of keys that are deleted within a fraction of a second, so that other statements run in between. */
const PORTION = 5_000;

/** Deletes the keys that have expired, in portions. */
export async function deleteExpiredKeys({ db }: Pick<Store, 'db'>, nowMs: number): Promise<void> {
  const { accountId, key, createdAt } = idempotencyKeys;
  for (let deleted = PORTION; deleted >= PORTION; ) {
    const expired = db
      .select({ accountId, key })
      .from(idempotencyKeys)
      .where(lte(createdAt, new Date(nowMs - KEPT_MS)))
      .limit(PORTION);
    const { rowCount } = await db.delete(idempotencyKeys).where(sql`(${accountId}, ${key}) in ${expired}`);
    deleted = rowCount ?? 0;
  }
}

function toColumns(body: IdempotentAnswer['body']) {
  if (body === 'wallets') return { body: NOTHING };
  return body instanceof Uint8Array ? { body } : { body: null, charged: body.charged };
}

async function begin(
  tx: StoreTransaction,
  owner: Owner,
  { accountId, key, fingerprint, nowMs, replacement }: IdempotentRequest,
): Promise<IdempotencyFinding> {
  if (replacement !== undefined)
    return claimReplacement(tx, owner, { accountId, key, nowMs, ...replacement });
  const { ownerId, underWay } = owner;
  const [claimId, workId] = [randomUUID(), randomUUID()];
  const claim = { accountId, key, claimId };
  const fresh = {
    ...claim,
    fingerprint,
    ownerId,
    workId,
    status: null,
    body: null,
    charged: null,
    isDrained: false,
    isReplaced: false,
    createdAt: new Date(nowMs),
  };
  const isKey = and(eq(idempotencyKeys.accountId, accountId), eq(idempotencyKeys.key, key));
  // Before the transaction commits: otherwise another request could find the key idle.
  const claimed = <K extends 'new' | 'resumed'>(kind: K, work: string) => {
    underWay.add(claimId);
    return { kind, workId: work, claim };
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const made = await tx.insert(idempotencyKeys).values(fresh).onConflictDoNothing().returning();
    if (made.length > 0) return claimed('new', workId);
    const [row] = await tx.select().from(idempotencyKeys).where(isKey).for('update');
    // The row was released or deleted in the meantime.
    if (row === undefined) continue;
    if (isExpired(row, nowMs)) {
      await tx.update(idempotencyKeys).set(fresh).where(isKey);
      return claimed('new', workId);
    }
    const finding = judge(row, fingerprint);
    if (finding.kind !== 'inUse' || (await isInUse(tx, owner, row))) return finding;
    await tx.update(idempotencyKeys).set({ ownerId, claimId }).where(isKey);
    // As in a release: the wallets of the earlier try are stored by now, or never will be.
    await lockBooks(tx, accountId);
    return claimed('resumed', row.workId);
  }
  return { kind: 'inUse' };
}

/** Waits for a transaction that claims the key and has an unknown outcome: its row may not exist yet. */
async function lockKey(tx: StoreTransaction, claim: Claim): Promise<void> {
  const { accountId, key } = idempotencyKeys;
  await tx
    .insert(idempotencyKeys)
    .values({ ...claim, fingerprint: NOTHING, createdAt: new Date(0) })
    .onConflictDoUpdate({ target: [accountId, key], set: { key: claim.key } });
}

function judge(row: KeyRow, fingerprint: Uint8Array): IdempotencyFinding {
  if (!isSameRequest(row, fingerprint)) return { kind: 'otherBody' };
  const { status, body, workId } = row;
  if (status === null) return { kind: 'inUse' };
  if (body === null) return { kind: 'secretNotKept' };
  return body.length === 0 ? { kind: 'rebuild', workId } : { kind: 'replay', status, body };
}

type Asked = Pick<IdempotentRequest, 'accountId' | 'key' | 'nowMs'> & ReplacementRequest;

/**
 * Claims a key whose answer was not kept, for the charged wallets that did not arrive: once, and not if the client was seen to
 * receive the whole answer. Never begins work that would be charged.
 */
async function claimReplacement(
  tx: StoreTransaction,
  owner: Owner,
  { accountId, key, nowMs, received, free, fingerprints }: Asked,
): Promise<IdempotencyFinding> {
  const isKey = and(eq(idempotencyKeys.accountId, accountId), eq(idempotencyKeys.key, key));
  const [row] = await tx.select().from(idempotencyKeys).where(isKey).for('update');
  if (row === undefined || isExpired(row, nowMs)) return { kind: 'nothingCharged' };
  if (!fingerprints.some((each) => isSameRequest(row, each))) return { kind: 'otherBody' };
  if (await isInUse(tx, owner, row)) return { kind: 'inUse' };
  if (row.status === null) return { kind: 'nothingCharged' };
  const { charged, isDrained, isReplaced, workId } = row;
  if (charged === null) return { kind: 'secretNotKept' };
  const limit = charged + free;
  if (received > limit) return { kind: 'receivedTooMany', limit };
  if (isDrained || isReplaced) return { kind: 'secretNotKept' };
  if (received === limit) {
    // A client that said everything arrived is not believed when it later says that nothing did.
    await tx.update(idempotencyKeys).set({ isDrained: true }).where(isKey);
    return { kind: 'secretNotKept' };
  }
  const claimId = randomUUID();
  await tx.update(idempotencyKeys).set({ ownerId: owner.ownerId, claimId, isReplaced: true }).where(isKey);
  owner.underWay.add(claimId);
  return { kind: 'replacement', workId, claim: { accountId, key, claimId }, charged };
}

type KeyRow = typeof idempotencyKeys.$inferSelect;

/** This process, and the claims that it works on. */
type Owner = { readonly ownerId: string; readonly underWay: Set<string> };

/** Lifetime of a key. */
const KEPT_MS = 86_400_000;

/** True when the key has expired and no longer counts. */
function isExpired({ createdAt }: KeyRow, nowMs: number): boolean {
  return createdAt.getTime() <= nowMs - KEPT_MS;
}

/** True when the key was used with this request; compares in constant time. */
function isSameRequest({ fingerprint: kept }: KeyRow, fingerprint: Uint8Array): boolean {
  return kept.length === fingerprint.length && timingSafeEqual(kept, fingerprint);
}

/**
 * True while the process that does the work is alive and, if it is this one, still works on it; or while it left money reserved that is
 * about to be settled: charged in full, which the key will then record, or given back, after the work that is still being stored.
 */
async function isInUse(tx: StoreTransaction, { ownerId, underWay }: Owner, row: KeyRow): Promise<boolean> {
  if (row.ownerId === null) return false;
  if (row.ownerId === ownerId && underWay.has(row.claimId)) return true;
  if (row.ownerId !== ownerId) {
    const owners = await tx.select({ id: gateways.id }).from(gateways).where(eq(gateways.id, row.ownerId));
    if (owners.length > 0) return true;
  }
  const isOfClaim = eq(reservations.claimId, row.claimId);
  // Work that is charged as it is stored reserves without a claim.
  const isOfGone =
    row.ownerId === ownerId
      ? undefined
      : and(eq(reservations.accountId, row.accountId), eq(reservations.ownerId, row.ownerId));
  const isLeft = and(or(isOfClaim, isOfGone), isNull(reservations.closedAt));
  return (await tx.select({ id: reservations.id }).from(reservations).where(isLeft)).length > 0;
}
