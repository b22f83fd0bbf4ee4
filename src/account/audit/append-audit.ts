import { eq, sql } from '../../store/drizzle.ts';
import { auditRecords, auditTips } from '../../store/audit-tables.ts';
import { insertRowsWith } from '../../store/insert-rows.ts';
import type { StoreTransaction } from '../../store/open-store.ts';
import { type AuditRecord, GENESIS, hashRecord } from './record-hash.ts';

/** What happened. */
export type AuditFact = Pick<AuditRecord, 'action' | 'outcome' | 'requestId'> & {
  readonly tokenId?: string | undefined;
  readonly walletId?: string | undefined;
  /** How many wallets it stands for. Default 1. */
  readonly units?: number;
};

/**
 * Adds facts to the end of an account's audit log, in their order, in the transaction of what they tell of. The chain is locked until
 * that transaction ends: do this last in it, after money.
 */
export async function appendAudit(
  tx: StoreTransaction,
  accountId: string,
  facts: readonly AuditFact[],
  nowMs: number,
): Promise<void> {
  if (facts.length === 0) return;
  const at = new Date(nowMs);
  const tip = await lockTip(tx, accountId);
  let { seq, hash: previousHash } = tip;
  const rows = facts.map(({ action, outcome, requestId, tokenId = null, walletId = null, units = 1 }) => {
    seq += 1;
    const record = { accountId, seq, atMs: nowMs, action, outcome, tokenId, requestId, walletId, units };
    const before = previousHash;
    previousHash = hashRecord(before, record);
    const { atMs: _instant, ...members } = record;
    return { ...members, at, previousHash: before, hash: previousHash };
  });
  const end = { seq, hash: previousHash };
  const unsignedSince = sql`coalesce(${auditTips.unsignedSince}, ${at.toISOString()})`;
  const moved = tx
    .update(auditTips)
    .set({ ...end, unsignedSince })
    .where(eq(auditTips.accountId, accountId));
  await insertRowsWith(tx, auditRecords, rows, moved.getSQL());
}

async function lockTip(
  tx: StoreTransaction,
  accountId: string,
): Promise<{ readonly seq: number; readonly hash: Uint8Array }> {
  const [tip] = await tx
    .insert(auditTips)
    .values({ accountId, seq: 0, hash: GENESIS })
    .onConflictDoUpdate({ target: auditTips.accountId, set: { accountId } })
    .returning({ seq: auditTips.seq, hash: auditTips.hash });
  return tip ?? { seq: 0, hash: GENESIS };
}
