import { and, asc, eq, inArray, isNull } from '../../store/drizzle.ts';
import { logins, members } from '../../store/member-tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { readAccountName } from '../account-name.ts';
import type { Role } from '../members/sessions.ts';

/** Returns the name of an account, and the addresses of its members who have certain roles, oldest member first. */
export async function readRecipients(
  tx: StoreTransaction,
  accountId: string,
  roles: ReadonlySet<Role>,
): Promise<{ readonly account: string; readonly addresses: readonly string[] }> {
  const isTold = and(
    eq(members.accountId, accountId),
    inArray(members.role, [...roles]),
    isNull(members.removedAt),
  );
  const rows = await tx
    .select({ email: logins.email })
    .from(members)
    .innerJoin(logins, eq(logins.id, members.userId))
    .where(isTold)
    .orderBy(asc(members.createdAt), asc(members.id));
  const account = await readAccountName(tx, accountId);
  return { account, addresses: rows.map(({ email }) => email) };
}
