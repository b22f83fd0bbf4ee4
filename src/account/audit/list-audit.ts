import type { ListPosition } from '../../base/list-cursor.ts';
import { auditRecords } from '../../store/audit-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { readInOrder } from '../../store/read-in-order.ts';
import { createRowReader } from '../../store/select-rows.ts';
import { isTimed, type PageQuery, pageBounds } from '../list-page.ts';
import { type WalkedRow, walkStatement } from './walk-audit.ts';

/** Which records of an account to list; a filter that is undefined lets all through. */
export type AuditFilters = {
  readonly action?: string | undefined;
  readonly outcome?: string | undefined;
  readonly walletId?: string | undefined;
  readonly tokenId?: string | undefined;
  readonly memberId?: string | undefined;
};

/** A record, with all that its hash covers, and the name of its token. */
export type ListedRecord = typeof auditRecords.$inferSelect & { readonly tokenName: string | null };

/** `next` is undefined on the last page. */
export type AuditPage = {
  readonly records: readonly ListedRecord[];
  readonly next: ListPosition | undefined;
};

const readRecord = createRowReader(auditRecords);

/**
 * Lists records of an account's audit log, newest first. They are in the order of the chain; with `since` or `until`, and without a wallet,
 * in that of time, from which the chain deviates where clocks differ. Whatever is written meanwhile, the pages have each record once that
 * was there before the first of them. A page of filtered records may have fewer than `limit`, even none, and yet a `next`.
 */
export async function listAudit(
  { together }: Pick<Store, 'together'>,
  accountId: string,
  { action, outcome, walletId, tokenId, memberId, ...page }: AuditFilters & PageQuery,
): Promise<AuditPage> {
  const walk = walletId !== undefined ? 'wallet' : isTimed(page) ? 'time' : 'chain';
  const isFiltering =
    [action, outcome, tokenId, memberId].some((one) => one !== undefined) ||
    (walk === 'wallet' && isTimed(page));
  const select = walkStatement(walk, isFiltering);
  const values = {
    ...{ accountId, walletId: walletId ?? '', ...pageBounds(page, walk === 'time') },
    ...{ action: action ?? null, outcome: outcome ?? null, tokenId: tokenId ?? null },
    memberId: memberId ?? null,
  };
  const [, { rows }] = await together((db) => [readInOrder(db), select(db, values)]);
  const found = rows.filter(({ seq }) => seq !== null);
  const records = found
    .slice(0, page.limit)
    .map((row) => ({ ...readRecord(row), tokenName: row.token_name }));
  const last = found.length > page.limit ? records.at(-1) : undefined;
  return { records, next: last === undefined ? walkedTo(rows[0]) : { at: last.at, id: String(last.seq) } };
}

function walkedTo({ walked_at: at, walked_seq: seq }: Partial<WalkedRow> = {}): ListPosition | undefined {
  return typeof at === 'string' ? { at: new Date(at), id: String(seq) } : undefined;
}
