import type { ReplacementRequest, IdempotencyFinding, IdempotentRequest } from './idempotent-request.ts';
import { randomUUID } from 'node:crypto';
import { and, eq } from '../store/drizzle.ts';
import { idempotencyKeys } from '../store/access-tables.ts';
import type { StoreTransaction } from '../store/transaction.ts';
import { isExpired, isInUse, isSameRequest, type Owner } from './idempotency-row.ts';

type Asked = Pick<IdempotentRequest, 'accountId' | 'key' | 'nowMs'> & ReplacementRequest;

/**
 * Claims a key whose answer was not kept, for the charged wallets that did not arrive: once, and not if the client was seen to
 * receive the whole answer. Never begins work that would be charged.
 */
export async function claimReplacement(
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
