import { and, eq, gt, isNotNull } from '../../store/drizzle.ts';
import { loginSessions, logins } from '../../store/member-tables.ts';
import type { MemberDeps } from './member-deps.ts';
import { type Attempt, hasUsedLink, networkOf } from './sign-in-attempts.ts';

/** The sender of a password. Known: the login has a live session at this address, or set its password there by a mailed link just now. */
export async function readAttempt(
  deps: Pick<MemberDeps, 'store' | 'installationKey'>,
  { email, address }: Pick<Attempt, 'email' | 'address'>,
  nowMs: number,
): Promise<Attempt> {
  const { userId, memberId, expiresAt, ipAddress } = loginSessions;
  const rows = await deps.store.db
    .selectDistinct({ ipAddress })
    .from(loginSessions)
    .innerJoin(logins, eq(logins.id, userId))
    .where(and(eq(logins.email, email), isNotNull(memberId), gt(expiresAt, new Date(nowMs))));
  const network = address === undefined ? undefined : networkOf(address);
  const isKnown = rows.some((row) => row.ipAddress !== null && networkOf(row.ipAddress) === network);
  return { email, address, isKnown: isKnown || (await hasUsedLink(deps, { email, address }, nowMs)) };
}
