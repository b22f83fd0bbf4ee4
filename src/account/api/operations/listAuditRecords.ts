import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { listAudit } from '../../audit/list-audit.ts';
import { isMember } from '../../identity/members/is-member.ts';
import { ownsToken } from '../../identity/tokens/access-tokens.ts';
import { positionOf, printCursor } from '../../../core/read-page.ts';
import type { OperationContext } from '../account-context.ts';
import { isNumber } from '../is-number.ts';
import { readSpan, refuse } from '../read-span.ts';
import { showRecord } from '../../audit/show-record.ts';

/** `GET /account/v1/audit`: a page of the account's audit log. */
export const listAuditRecords: AccountHandler<OperationContext, 'listAuditRecords'> = async (
  { store, caller: { accountId } },
  { query },
) => {
  const { limit, cursor, action, outcome } = query;
  const { wallet_id: walletId, token_id: tokenId, member_id: memberId } = query;
  const page = { ...readSpan(query), after: positionOf(cursor, isNumber), limit };
  if (tokenId !== undefined && !(await ownsToken(store, accountId, tokenId)))
    throw refuse('/token_id', 'is not the id of an access token of the account');
  if (memberId !== undefined && !(await isMember(store, accountId, memberId)))
    throw refuse('/member_id', 'is not the id of a member of the account');
  const filters = { action, outcome, walletId, tokenId, memberId };
  const { records, next } = await listAudit(store, accountId, { ...filters, ...page });
  const nextCursor = next === undefined ? {} : { next_cursor: printCursor(next) };
  return { kind: 'json', body: { records: records.map(showRecord), ...nextCursor } };
};
