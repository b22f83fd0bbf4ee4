import { and, eq, isNull } from '../../../store/drizzle.ts';
import { members } from '../../../store/member-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { lockAccount } from '../../accounts/find-account.ts';

/** True when an account has, or had, a member with this id. */
export async function isMember(
  { db }: Pick<Store, 'db'>,
  accountId: string,
  memberId: string,
): Promise<boolean> {
  const { id, accountId: owner } = members;
  const found = await db
    .select({ id })
    .from(members)
    .where(and(eq(id, memberId), eq(owner, accountId)));
  return found.length > 0;
}

/**
 * An owner can do everything in an account: over HTTP, an operator may make one only for an account without an owner.
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
