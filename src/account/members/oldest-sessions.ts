import { and, desc, eq, gt, inArray, ne } from '../../store/drizzle.ts';
import { loginSessions, members } from '../../store/member-tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';

/** A session that ended, of a login as a member of an account. */
export type EndedSession = {
  readonly sessionId: string;
  readonly memberId: string;
  readonly accountId: string;
};

/** Live sessions of a login, in all its accounts. */
export const MOST_SESSIONS = 20;

/** Deletes the oldest live sessions of a login that are more than it may have, never the one that was just opened. @returns them. */
export async function endOldestSessions(
  tx: StoreTransaction,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
  nowMs: number,
): Promise<readonly EndedSession[]> {
  const { id, createdAt, expiresAt } = loginSessions;
  const ended = await tx
    .select({ sessionId: id, memberId: members.id, accountId: members.accountId })
    .from(loginSessions)
    .innerJoin(members, eq(members.id, loginSessions.memberId))
    .where(and(eq(loginSessions.userId, userId), ne(id, sessionId), gt(expiresAt, new Date(nowMs))))
    .orderBy(desc(createdAt), desc(id))
    .offset(MOST_SESSIONS - 1);
  const ids = ended.map((session) => session.sessionId);
  if (ids.length > 0) await tx.delete(loginSessions).where(inArray(id, ids));
  return ended;
}
