import type { Claim, IdempotencyFinding, IdempotentAnswer, IdempotentRequest } from './idempotent-request.ts';
import { createHmac, randomUUID } from 'node:crypto';
import { and, eq, gt, isNotNull, isNull, lte, notExists, sql } from '../store/drizzle.ts';
import { HEADERS, isHeaderValue } from '../../generated/wallets/operations.ts';
import { idempotencyKeys } from '../store/access-tables.ts';
import type { Store } from '../store/open-store.ts';
import type { StoreTransaction } from '../store/transaction.ts';
import { wallets } from '../store/wallet-tables.ts';
import { serviceError } from '../base/service-error.ts';
import { isExpired, isInUse, isSameRequest, KEPT_MS, type KeyRow, type Owner } from './idempotency-row.ts';
import type { InstallationKey } from './installation-key.ts';
import { claimReplacement } from './claim-replacement.ts';
import { lockBooks } from './money/books.ts';

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
   * Call it first in a transaction that commits part of the work: nobody else gets the key before that is stored.
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
  /** Call it when the work is over, whatever went wrong: a key that the store could not release is no longer in use. */
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
      // Behind a group of its wallets that is stored, whose end was not answered.
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

/** As many as take a fraction of a second to delete: other statements come in between. */
const PORTION = 5_000;

/** Deletes the keys whose day is over, in portions. */
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
    ...{ ...claim, fingerprint, ownerId, workId, status: null, body: null },
    ...{ charged: null, isDrained: false, isReplaced: false },
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
    // As when it is released: what the earlier try has made is there, or never will be.
    await lockBooks(tx, accountId);
    return claimed('resumed', row.workId);
  }
  return { kind: 'inUse' };
}

/** Waits for a transaction that claims the key and whose end was not answered: its row may not be there yet. */
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
