import { and, asc, eq, isNull } from '../../../store/drizzle.ts';
import { logins, members } from '../../../store/member-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import { accounts } from '../../../store/tables.ts';
import { DEVELOPMENT } from '../../accounts/account-name.ts';
import { countBackupCodes, readMemberFactor } from './member-factor.ts';
import type { MemberDeps } from './member-deps.ts';
import type { Role, SessionHolder } from './sessions.ts';

/** An account that a login is a member of. */
export type Membership = { readonly accountId: string; readonly name: string; readonly role: Role };

/** A session and its login, as shown to the member. */
export type SessionDescription = {
  readonly email: string;
  readonly name: string;
  /** Every account of the login, first joined first. */
  readonly memberships: readonly Membership[];
  readonly hasSecondFactor: boolean;
  readonly backupCodesLeft: number;
};

/** Describes the login of a session. */
export async function describeSession(
  deps: Pick<MemberDeps, 'store' | 'installationKey'>,
  { userId }: SessionHolder,
): Promise<SessionDescription> {
  const { store } = deps;
  const [[login], memberships, factor, backupCodesLeft] = await Promise.all([
    store.db.select({ email: logins.email, name: logins.name }).from(logins).where(eq(logins.id, userId)),
    listMemberships(store, userId),
    readMemberFactor(store.db, userId),
    countBackupCodes(deps, userId),
  ]);
  const { email = '', name = '' } = login ?? {};
  return { email, name, memberships, hasSecondFactor: factor !== undefined, backupCodesLeft };
}

async function listMemberships({ db }: Pick<Store, 'db'>, userId: string): Promise<readonly Membership[]> {
  const rows = await db
    .select({ accountId: members.accountId, name: accounts.name, role: members.role })
    .from(members)
    .innerJoin(accounts, eq(accounts.id, members.accountId))
    .where(and(eq(members.userId, userId), isNull(members.removedAt)))
    .orderBy(asc(members.createdAt), asc(members.id));
  return rows.map(({ name, ...row }) => ({ ...row, name: name ?? DEVELOPMENT }));
}
