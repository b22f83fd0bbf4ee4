import { and, eq } from '../../store/drizzle.ts';
import { members } from '../../store/member-tables.ts';
import type { Store } from '../../store/open-store.ts';

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
