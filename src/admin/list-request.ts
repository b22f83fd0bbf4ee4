import { AUDIT_ACTIONS } from '../../generated/account/events.ts';
import type { AuditFilters } from '../account/audit/list-audit.ts';
import { MAX_LIMIT, type PageQuery } from '../account/list-page.ts';
import { type ListPosition, readCursor } from '../base/list-cursor.ts';
import { serviceError } from '../base/service-error.ts';
import { isWalletId } from '../wallets/wallet-id.ts';

/** A request for a page of a list of an account, checked. */
export type ListRequest =
  | {
      readonly kind: 'audit.list';
      readonly account: string;
      readonly page: PageQuery;
      readonly filters: AuditFilters;
    }
  | { readonly kind: 'entries.list'; readonly account: string; readonly page: PageQuery };

type Members = Readonly<Record<string, unknown>>;

const OUTCOME = /^[a-z][a-z0-9_]{0,63}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Numbers of records and entries: positive, and below 2^63. */
const NUMBER = /^[1-9]\d{0,17}$/;

/** True for a request for a list, by its kind. */
export function isListRequest(members: Members): members is Members & { readonly kind: ListRequest['kind'] } {
  return members.kind === 'audit.list' || members.kind === 'entries.list';
}

/**
 * Checks a request for a page of a list.
 *
 * @throws ServiceError `invalidCommand` with the mistake.
 */
export function readListRequest(members: Members & { readonly kind: ListRequest['kind'] }): ListRequest {
  const { kind } = members;
  const base = { account: String(members.account), page: readPage(members) };
  return kind === 'audit.list' ? { kind, ...base, filters: readFilters(members) } : { kind, ...base };
}

function readPage({ sinceMs, untilMs, limit, cursor }: Members): PageQuery {
  const [since, until] = [readInstant('since', sinceMs), readInstant('until', untilMs)];
  if (since !== undefined && until !== undefined && since >= until)
    throw mistake(`--since must be before --until, got ${since.toISOString()} and ${until.toISOString()}`);
  return {
    since,
    until,
    limit: readLimit(limit),
    after: cursor === undefined ? undefined : readPosition(cursor, (id) => NUMBER.test(id)),
  };
}

function readFilters({ action, outcome, walletId, tokenId }: Members): AuditFilters {
  return {
    action: readFilter(action, {
      isValid: (text) => AUDIT_ACTIONS.includes(text),
      expected: `--action must be one of ${AUDIT_ACTIONS.join(', ')}`,
    }),
    outcome: readFilter(outcome, {
      isValid: (text) => OUTCOME.test(text),
      expected:
        '--outcome must be ok, replayed, interrupted, others or the code of an error such as scope_missing',
    }),
    walletId: readFilter(walletId, {
      isValid: isWalletId,
      expected: '--wallet must be the id of a wallet, such as w_Mv1yfXSRds89fzXtB8iMzg',
    }),
    tokenId: readFilter(tokenId, {
      isValid: (text) => UUID.test(text),
      expected: '--token must be the id of a token, as keyslot tokens list shows it',
    }),
  };
}

function readFilter(
  text: unknown,
  { isValid, expected }: { readonly isValid: (text: string) => boolean; readonly expected: string },
): string | undefined {
  if (text === undefined) return undefined;
  if (typeof text === 'string' && isValid(text)) return text;
  throw mistake(`${expected}, got ${JSON.stringify(text)}`);
}

/** Returns how many entries a page has. @throws ServiceError `invalidCommand`. */
export function readLimit(limit: unknown): number {
  if (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= MAX_LIMIT) return Number(limit);
  throw mistake(`--limit must be a whole number from 1 to ${MAX_LIMIT}, got ${JSON.stringify(limit)}`);
}

function readInstant(name: string, instantMs: unknown): Date | undefined {
  if (instantMs === undefined) return undefined;
  if (Number.isSafeInteger(instantMs) && Number(instantMs) >= 0) {
    const instant = new Date(Number(instantMs));
    if (Number.isFinite(instant.getTime())) return instant;
  }
  throw mistake(`${name} must be an instant after 1970, in milliseconds, got ${JSON.stringify(instantMs)}`);
}

/** Returns the position that a page begins behind. @throws ServiceError `invalidCommand`. */
export function readPosition(cursor: unknown, isId: (id: string) => boolean): ListPosition {
  const position = typeof cursor === 'string' ? readCursor(cursor, isId) : undefined;
  if (position !== undefined) return position;
  throw mistake(`--cursor must be the next_cursor of a page of this list, got ${JSON.stringify(cursor)}`);
}

function mistake(reason: string): Error {
  return serviceError('invalidCommand', { reason });
}
