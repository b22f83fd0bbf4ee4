import { type AuditFilters, type ListedRecord, listAudit } from '../account/audit/list-audit.ts';
import { showCharge } from '../account/audit/show-record.ts';
import { findAccount } from '../account/find-account.ts';
import type { PageQuery } from '../account/list-page.ts';
import { type BookEntry, listEntries } from '../account/money/list-entries.ts';
import { printUsd } from '../../runtime/micro-usd.ts';
import { ownsToken } from '../account/tokens/access-tokens.ts';
import { type ListPosition, printCursor } from '../base/list-cursor.ts';
import { serviceError } from '../base/service-error.ts';
import type { Store } from '../store/open-store.ts';
import type { ListRequest } from './list-request.ts';

/**
 * Returns a page of a list of an account, with `next_cursor` if it is not the last one.
 *
 * @throws ServiceError `accountNotFound`; `tokenNotFound` for a token that is not the account's.
 */
export async function serveLists(store: Store, request: ListRequest): Promise<unknown> {
  const { account, page } = request;
  const accountId = await findAccount(store, account);
  return request.kind === 'audit.list'
    ? { account, ...(await auditPage(store, accountId, { ...request.filters, ...page })) }
    : { account, ...(await entryPage(store, accountId, page)) };
}

async function auditPage(store: Store, accountId: string, query: AuditFilters & PageQuery) {
  const { tokenId } = query;
  if (tokenId !== undefined && !(await ownsToken(store, accountId, tokenId)))
    throw serviceError('tokenNotFound', { id: tokenId });
  const { records, next } = await listAudit(store, accountId, query);
  return { records: records.map(showRecord), ...showNext(next) };
}

async function entryPage(store: Store, accountId: string, page: PageQuery) {
  const { entries, next } = await listEntries(store, accountId, page);
  return { entries: entries.map(showEntry), ...showNext(next) };
}

function showNext(next: ListPosition | undefined) {
  return next === undefined ? {} : { next_cursor: printCursor(next) };
}

function showRecord(record: ListedRecord) {
  const { accountId, seq, at, action, outcome, tokenId, tokenName, requestId, walletId, units } = record;
  return {
    ...{ account_id: accountId, seq, at, action, outcome, token_id: tokenId, token: tokenName },
    ...{ request_id: requestId, wallet_id: walletId, units, address: record.address },
    ...{ member_id: record.memberId, subject: record.subject },
    ...(record.charges !== null && { charges: record.charges.map(showCharge) }),
    previous_hash: Buffer.from(record.previousHash).toString('hex'),
    hash: Buffer.from(record.hash).toString('hex'),
  };
}

function showEntry(entry: BookEntry) {
  const { id, at, kind, operation, units, reservationId, amount, reserved, charged, balanceAfter, note } =
    entry;
  return {
    ...{ id: String(id), at, kind, operation, units: units === null ? null : Number(units) },
    ...{ amount_usd: printUsd(amount), reserved_usd: printUsd(reserved), charged_usd: printUsd(charged) },
    balance_usd: balanceAfter === null ? null : printUsd(balanceAfter),
    ...{ reservation_id: reservationId, note },
  };
}
