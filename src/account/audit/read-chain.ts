import { and, asc, eq, gte } from '../../store/drizzle.ts';
import { auditHeads, auditRecords } from '../../store/audit-tables.ts';
import type { Store } from '../../store/open-store.ts';

/** A part of an account's chain: at most `limit` rows, from this position on. */
export type ChainPart = { readonly fromSeq: number; readonly limit: number };

/** A record as it is stored, with all that its hash covers. */
export type StoredRecord = typeof auditRecords.$inferSelect;

/** Reads records of an account's chain, oldest first. */
export function readChain(
  { db }: Pick<Store, 'db'>,
  accountId: string,
  { fromSeq, limit }: ChainPart,
): Promise<readonly StoredRecord[]> {
  const { accountId: owner, seq } = auditRecords;
  return db
    .select()
    .from(auditRecords)
    .where(and(eq(owner, accountId), gte(seq, fromSeq)))
    .orderBy(asc(seq))
    .limit(limit);
}

/** Reads the signed heads of an account's chain, oldest first. */
export function readStoredHeads(
  { db }: Pick<Store, 'db'>,
  accountId: string,
  { fromSeq, limit }: ChainPart,
): Promise<readonly (typeof auditHeads.$inferSelect)[]> {
  const { accountId: owner, seq } = auditHeads;
  return db
    .select()
    .from(auditHeads)
    .where(and(eq(owner, accountId), gte(seq, fromSeq)))
    .orderBy(asc(seq))
    .limit(limit);
}
