import { auditHeads, auditRecords } from '../../store/audit-tables.ts';
import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { readInOrder } from '../../store/read-in-order.ts';
import { createRowReader } from '../../store/select-rows.ts';
import { createStatement, type PlaceholderOf } from '../../store/statement.ts';

/** A part of an account's chain: at most `limit` rows, from this position on. */
export type ChainPart = { readonly fromSeq: number; readonly limit: number };

/** A record as it is stored, with all that its hash covers. */
export type StoredRecord = typeof auditRecords.$inferSelect;

/** A signed head as it is stored. */
export type StoredHead = typeof auditHeads.$inferSelect;

type Values = ChainPart & { readonly accountId: string };

const bounds = (param: PlaceholderOf<Values>) => sql`
  where account_id = ${param('accountId')} and seq >= ${param('fromSeq')} order by seq limit ${param('limit')}`;
const selectRecords = createStatement<Values>((param) => sql`select * from audit_records ${bounds(param)}`);
const selectHeads = createStatement<Values>((param) => sql`select * from audit_heads ${bounds(param)}`);
const readRecord = createRowReader(auditRecords);
const readHead = createRowReader(auditHeads);

/** Reads records of an account's chain, oldest first. */
export async function readChain(
  { batched }: Pick<Store, 'batched'>,
  accountId: string,
  part: ChainPart,
): Promise<readonly StoredRecord[]> {
  const [, { rows }] = await batched((db) => [readInOrder(db), selectRecords(db, { accountId, ...part })]);
  return rows.map(readRecord);
}

/** Reads the signed heads of an account's chain, oldest first. */
export async function readStoredHeads(
  { batched }: Pick<Store, 'batched'>,
  accountId: string,
  part: ChainPart,
): Promise<readonly StoredHead[]> {
  const [, { rows }] = await batched((db) => [readInOrder(db), selectHeads(db, { accountId, ...part })]);
  return rows.map(readHead);
}
