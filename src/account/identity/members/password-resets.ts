import { randomUUID } from 'node:crypto';
import { serviceError } from '../../../core/service-error.ts';
import { and, asc, eq, inArray, isNull, lte, sql } from '../../../store/drizzle.ts';
import { logins, members, setupLinks } from '../../../store/member-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { accounts } from '../../../store/tables.ts';
import { DEVELOPMENT } from '../../accounts/account-name.ts';
import { createKeyText } from '../api-keys/key-text.ts';
import { digestKey } from '../api-keys/keyring.ts';
import { auditMember } from './audit-member.ts';
import type { MemberDeps, MemberRequest } from './member-deps.ts';
import { acceptReset, findLink, type NewToken } from './setup-links.ts';

const RESET_MS = 3_600_000;
/** Maximum number of logins in one email. */
const MOST_LOGINS = 50;

/** A link that resets the password of one login. */
export type ResetLink = NewToken & {
  /** Names of the accounts that the login is a member of, first joined first. */
  readonly accounts: readonly string[];
};

/** Called in the transaction that creates links. */
export type OnLinks = (tx: StoreTransaction, links: readonly ResetLink[]) => Promise<void>;

/**
 * Creates a link for each login with this email, which resets its password, for an hour. Earlier links stay: strangers can request a link,
 * and must not end those that the operator made.
 *
 * For an email without a login that is a member, the same is done for another login, and taken back: it takes the store as long.
 *
 * @param email in lower case.
 * @returns none for an email without a login that is a member.
 */
export async function createResetLinks(
  { store }: { readonly store: Pick<Store, 'db' | 'transaction'> },
  email: string,
  { onLinks, ...request }: MemberRequest & { readonly onLinks?: OnLinks },
): Promise<readonly ResetLink[]> {
  const select = () =>
    store.db
      .select({
        userId: members.userId,
        memberId: members.id,
        accountId: members.accountId,
        name: accounts.name,
      })
      .from(members)
      .innerJoin(logins, eq(logins.id, members.userId))
      .innerJoin(accounts, eq(accounts.id, members.accountId))
      .orderBy(asc(members.createdAt), asc(members.id));
  const memberships = await select().where(and(eq(logins.email, email), isNull(members.removedAt)));
  const decoys = await select().where(isNull(members.removedAt)).limit(1);
  const isKnown = memberships.length > 0;
  const [createdAt, expiresAt] = [new Date(request.nowMs), new Date(request.nowMs + RESET_MS)];
  const byLogin = [...Map.groupBy(isKnown ? memberships : decoys, ({ userId }) => userId).values()];
  const made = byLogin.slice(0, MOST_LOGINS).flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const names = own.map(({ name }) => name ?? DEVELOPMENT);
    return [{ ...first, token: createKeyText('ks_set_'), expiresAt, accounts: names }];
  });
  if (made.length === 0) return [];
  await store.transaction(async (tx) => {
    const userIds = made.map(({ userId }) => userId);
    await tx.execute(sql`savepoint made`);
    await tx
      .delete(setupLinks)
      .where(and(inArray(setupLinks.userId, userIds), lte(setupLinks.expiresAt, createdAt)));
    const rows = made.map(({ userId, accountId, token }) => {
      return { id: randomUUID(), accountId, userId, digest: digestKey(token), createdAt, expiresAt };
    });
    await tx.insert(setupLinks).values(rows);
    await onLinks?.(tx, made);
    // Accounts in the order of their ids, so that two transactions never wait for each other's chains.
    const inOrder = made.toSorted((one, other) => one.accountId.localeCompare(other.accountId));
    for (const { accountId, memberId } of inOrder)
      await auditMember(tx, { accountId, action: 'password_reset.request', subject: memberId }, request);
    await tx.execute(isKnown ? sql`release savepoint made` : sql`rollback to savepoint made`);
    // A commit with nothing to write would take less.
    await tx.execute(sql`update logins set name = name where id = ${userIds[0]}`);
  });
  return isKnown ? made : [];
}

/**
 * Sets the password of the login that a link was made for, by email or by the operator, and ends its sessions, in every account. Its second
 * factor stays.
 *
 * @throws ServiceError `setupLinkInvalid`, `passwordUnfit`.
 */
export async function resetPassword(
  deps: MemberDeps,
  sent: { readonly token: string; readonly password: string },
  request: MemberRequest,
): Promise<void> {
  const link = await findLink(deps.store, sent.token, request.nowMs);
  if (link === undefined || link.userId === null) throw serviceError('setupLinkInvalid');
  await acceptReset(deps, { ...sent, ofLogin: link.userId, action: 'password_reset.accept' }, request);
}
