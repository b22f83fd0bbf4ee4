import { serviceError } from '../../base/service-error.ts';
import type { SQL } from 'drizzle-orm';
import { and, asc, eq, isNull, sql } from '../../store/drizzle.ts';
import { loginSessions, logins, memberFactors, members } from '../../store/member-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { auditMember } from './audit-member.ts';
import { withdrawInvitationsOf } from './invitations.ts';
import type { MemberRequest } from './member-deps.ts';
import { assertFresh, assertOwner, type Role, type SessionHolder } from './sessions.ts';
import { LINK_MS } from './setup-links.ts';

/** A member as it is listed. */
export type Member = {
  readonly memberId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly hasSecondFactor: boolean;
  readonly createdAt: Date;
};

type StoreOnly = { readonly store: Pick<Store, 'db' | 'transaction'> };

/** Lists the members of an account, oldest first. */
export async function listMembers({ store }: StoreOnly, accountId: string): Promise<readonly Member[]> {
  const rows = await store.db
    .select({
      ...{ memberId: members.id, email: logins.email, name: logins.name, role: members.role },
      ...{ createdAt: members.createdAt, factorOf: memberFactors.userId },
    })
    .from(members)
    .innerJoin(logins, eq(logins.id, members.userId))
    .leftJoin(memberFactors, eq(memberFactors.userId, members.userId))
    .where(and(eq(members.accountId, accountId), isNull(members.removedAt)))
    .orderBy(asc(members.createdAt), asc(members.id));
  return rows.map(({ factorOf, ...row }) => ({ ...row, hasSecondFactor: factorOf !== null }));
}

/** True if any account has a member. */
export async function hasAnyMember({ db }: Pick<Store, 'db'>): Promise<boolean> {
  const found = await db.select({ id: members.id }).from(members).where(isNull(members.removedAt)).limit(1);
  return found.length > 0;
}

/**
 * Gives a member another role, from the next request on. An owner who becomes something else takes the invitations along.
 * @throws ServiceError `roleInsufficient`, `freshFactorRequired`, `memberNotFound`, `lastOwner`.
 */
export async function changeRole(
  { store }: StoreOnly,
  holder: SessionHolder,
  { memberId, role }: { readonly memberId: string; readonly role: Role },
  request: MemberRequest,
): Promise<void> {
  assertOwner(holder);
  assertFresh(holder, request.nowMs);
  const { accountId } = holder;
  await store.transaction(async (tx) => {
    const present = await readRole(tx, accountId, memberId);
    if (present === 'owner' && role !== 'owner') {
      await assertOtherOwner(tx, accountId);
      await withdrawInvitationsOf(tx, { accountId, memberId }, request.nowMs);
    }
    await tx.update(members).set({ role }).where(eq(members.id, memberId));
    const action = 'member.change_role';
    await auditMember(tx, { accountId, memberId: holder.memberId, action, subject: memberId }, request);
  });
}

/** The API keys and access tokens that a member created and that still work, newest first. */
export type MadeByMember = {
  readonly keys: readonly { readonly id: string; readonly name: string }[];
  readonly tokens: readonly { readonly id: string; readonly name: string }[];
};

/** Nobody reads a longer list. */
const MOST_LISTED = 1_000;

/**
 * Removes a member; everyone may leave. The sessions, the invitations and the set-up links of the member stop working at once.
 * @returns the API keys and access tokens that the member made, which go on working.
 * @throws ServiceError `roleInsufficient`, `freshFactorRequired`, `memberNotFound`, `lastOwner`.
 */
export async function removeMember(
  { store }: StoreOnly,
  holder: SessionHolder,
  memberId: string,
  request: MemberRequest,
): Promise<MadeByMember> {
  if (memberId !== holder.memberId) assertOwner(holder);
  assertFresh(holder, request.nowMs);
  const { accountId } = holder;
  return store.transaction(async (tx) => {
    if ((await readRole(tx, accountId, memberId)) === 'owner') await assertOtherOwner(tx, accountId);
    await tx
      .update(members)
      .set({ removedAt: new Date(request.nowMs) })
      .where(eq(members.id, memberId));
    await tx.delete(loginSessions).where(eq(loginSessions.memberId, memberId));
    await withdrawInvitationsOf(tx, { accountId, memberId }, request.nowMs);
    await deleteSetupLinksOf(tx, { accountId, memberId }, request.nowMs);
    const made = await readMadeBy(tx, { accountId, memberId }, request.nowMs);
    const action = 'member.remove';
    await auditMember(tx, { accountId, memberId: holder.memberId, action, subject: memberId }, request);
    return made;
  });
}

type OfAccount = { readonly accountId: string; readonly memberId: string };

/** Reads from the audit log who made what is there: a record is written in the minute in which the thing is made. */
async function readMadeBy(
  tx: StoreTransaction,
  { accountId, memberId }: OfAccount,
  nowMs: number,
): Promise<MadeByMember> {
  const live = (table: SQL, actions: SQL) => sql<{ readonly id: string; readonly name: string }>`
    select made.id, made.name from ${table} made
    where made.account_id = ${accountId} and made.revoked_at is null
      and (made.expires_at is null or made.expires_at > ${new Date(nowMs).toISOString()}::timestamptz)
      and exists (select from audit_records r where r.account_id = ${accountId} and r.member_id = ${memberId}
        and r.at between made.created_at and made.created_at + interval '1 minute' and ${actions})
    order by made.created_at desc, made.id limit ${MOST_LISTED}`;
  // The record of a rotation names the key before.
  const keys = live(
    sql`api_keys`,
    sql`(r.action = 'createkey' and r.subject = made.id::text or r.action = 'rotatekey')`,
  );
  const tokens = live(sql`access_tokens`, sql`r.action = 'createtoken' and r.subject = made.id::text`);
  return {
    keys: (await tx.execute<{ readonly id: string; readonly name: string }>(keys)).rows,
    tokens: (await tx.execute<{ readonly id: string; readonly name: string }>(tokens)).rows,
  };
}

/** Deletes the links that a member of an operating account made for other accounts and that work still. */
async function deleteSetupLinksOf(
  tx: StoreTransaction,
  { accountId, memberId }: OfAccount,
  nowMs: number,
): Promise<void> {
  const since = new Date(nowMs - LINK_MS).toISOString();
  await tx.execute(sql`
    delete from setup_links where user_id is null and used_at is null and account_id::text in (
      select subject from audit_records where account_id = ${accountId} and member_id = ${memberId}
        and at > ${since}::timestamptz and action = 'createaccountsetuplink')`);
}

async function readRole(tx: StoreTransaction, accountId: string, memberId: string): Promise<Role> {
  const [found] = await tx
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.id, memberId), eq(members.accountId, accountId), isNull(members.removedAt)));
  if (found === undefined) throw serviceError('memberNotFound');
  return found.role;
}

async function assertOtherOwner(tx: StoreTransaction, accountId: string): Promise<void> {
  const owners = await tx
    .select({ id: members.id })
    .from(members)
    .where(and(eq(members.accountId, accountId), eq(members.role, 'owner'), isNull(members.removedAt)));
  if (owners.length < 2) throw serviceError('lastOwner');
}
