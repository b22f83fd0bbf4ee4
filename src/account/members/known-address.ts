import { toServiceError } from '../../base/service-error.ts';
import { and, eq, gt, isNotNull } from '../../store/drizzle.ts';
import { loginSessions, logins } from '../../store/member-tables.ts';
import type { MemberDeps } from './member-deps.ts';
import { type Attempt, countAttempt, hasUsedLink, networkOf } from './sign-in-attempts.ts';

/** The sender of a password whose attempt was counted. */
export type CountedSender = {
  readonly attempt: Attempt;
  /** False for a login that the password is not compared with. */
  readonly isFor: (userId: string) => boolean;
};

type Sender = Pick<Attempt, 'email' | 'address'>;

/**
 * Counts an attempt. Where its email is locked, the logins count that are known at this address: which have a live session here, or got
 * their password here by a mailed link just now. What is sent elsewhere does not lock those, and theirs is no way to guess at the others.
 * @throws ServiceError `signInLocked`.
 */
export async function countSender(
  deps: Pick<MemberDeps, 'store' | 'installationKey'>,
  sender: Sender,
  nowMs: number,
): Promise<CountedSender> {
  try {
    await countAttempt(deps, sender, nowMs);
    return { attempt: sender, isFor: () => true };
  } catch (error) {
    if (toServiceError(error).code !== 'signInLocked') throw error;
    const hasLink = await hasUsedLink(deps, sender, nowMs);
    const known = await readKnown(deps, sender, nowMs);
    if (!hasLink && known.size === 0) throw error;
    const attempt = { ...sender, isKnown: true };
    await countAttempt(deps, attempt, nowMs);
    return { attempt, isFor: (userId) => hasLink || known.has(userId) };
  }
}

async function readKnown(
  deps: Pick<MemberDeps, 'store'>,
  { email, address }: Sender,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  if (address === undefined) return new Set();
  const network = networkOf(address);
  const { userId, memberId, expiresAt, ipAddress } = loginSessions;
  const rows = await deps.store.db
    .selectDistinct({ userId, ipAddress })
    .from(loginSessions)
    .innerJoin(logins, eq(logins.id, userId))
    .where(and(eq(logins.email, email), isNotNull(memberId), gt(expiresAt, new Date(nowMs))));
  const here = rows.filter((row) => row.ipAddress !== null && networkOf(row.ipAddress) === network);
  return new Set(here.map((row) => row.userId));
}
