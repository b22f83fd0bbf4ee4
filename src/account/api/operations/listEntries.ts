import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { type BookEntry, listEntries as list } from '../../billing/books/list-entries.ts';
import { printUsd } from '../../../../runtime/micro-usd.ts';
import { positionOf, printCursor } from '../../../core/read-page.ts';
import type { OperationContext } from '../account-context.ts';
import { isNumber } from '../is-number.ts';
import { readSpan } from '../read-span.ts';

/** `GET /account/v1/entries`: a page of the account's books. */
export const listEntries: AccountHandler<OperationContext, 'listEntries'> = async (
  { store, caller },
  { query },
) => {
  const { limit, cursor } = query;
  const page = { ...readSpan(query), after: positionOf(cursor, isNumber), limit };
  const { entries, next } = await list(store, caller.accountId, page);
  const nextCursor = next === undefined ? {} : { next_cursor: printCursor(next) };
  return { kind: 'json', body: { entries: entries.map(showEntry), ...nextCursor } };
};

function showEntry(entry: BookEntry) {
  const { id, at, kind, operation, units, reservationId, balanceAfter, note } = entry;
  return {
    id: String(id),
    at: at.toISOString(),
    kind,
    ...(operation !== null && { operation }),
    ...(units !== null && { units: Number(units) }),
    amount_usd: printUsd(entry.amount),
    reserved_usd: printUsd(entry.reserved),
    charged_usd: printUsd(entry.charged),
    ...(balanceAfter !== null && { balance_after_usd: printUsd(balanceAfter) }),
    ...(reservationId !== null && { reservation_id: reservationId }),
    ...(note !== null && { note }),
  };
}
