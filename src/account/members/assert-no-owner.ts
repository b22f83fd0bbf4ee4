import { serviceError } from '../../base/service-error.ts';
import { and, eq, isNull } from '../../store/drizzle.ts';
import { members } from '../../store/member-tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { lockAccount } from '../lock-account.ts';

/**
 * Who makes an owner of an account can do everything in it: an operator over HTTP may do so only for one that nobody owns yet.
 * @throws ServiceError `accountHasOwner`, also for an account that operates the server.
 */
export async function assertNoOwner(tx: StoreTransaction, accountId: string): Promise<void> {
  const account = await lockAccount(tx, accountId);
  const owners = await tx
    .select({ id: members.id })
    .from(members)
    .where(and(eq(members.accountId, accountId), eq(members.role, 'owner'), isNull(members.removedAt)))
    .limit(1);
  if (account?.operates === true || owners.length > 0) throw serviceError('accountHasOwner');
}
