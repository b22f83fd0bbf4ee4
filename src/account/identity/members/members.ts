import { ROLES } from '../../../../generated/account/operations.ts';
import { serviceError } from '../../../core/service-error.ts';
import { and, asc, eq, isNull, sql } from '../../../store/drizzle.ts';
import { loginSessions, logins, memberFactors, members } from '../../../store/member-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
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
      memberId: members.id,
      email: logins.email,
      name: logins.name,
      role: members.role,
      createdAt: members.createdAt,
      factorOf: memberFactors.userId,
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
 * Gives a member another role, from the next request on. The open invitations of an owner who gets another role are withdrawn.
 * @returns what the member made, which continues to work, if the new role allows less; else nothing.
 * @throws ServiceError `roleInsufficient`, `freshFactorRequired`, `memberNotFound`, `lastOwner`.
 */
export async function changeRole(
  { store }: StoreOnly,
  holder: SessionHolder,
  { memberId, role }: { readonly memberId: string; readonly role: Role },
  request: MemberRequest,
): Promise<MadeByMember> {
  assertOwner(holder);
  assertFresh(holder, request.nowMs);
  const { accountId } = holder;
  const allowed: readonly string[] = ROLES[role];
  return store.transaction(async (tx) => {
    const present = await readRole(tx, accountId, memberId);
    if (present === 'owner' && role !== 'owner') {
      await assertOtherOwner(tx, accountId);
      await withdrawInvitationsOf(tx, { accountId, memberId }, request.nowMs);
    }
    await tx.update(members).set({ role }).where(eq(members.id, memberId));
    const isLess = !ROLES[present].every((scope) => allowed.includes(scope));
    const made = isLess ? await readMadeBy(tx, { accountId, memberId }, request.nowMs) : NOTHING;
    const action = 'member.change_role';
    await auditMember(tx, { accountId, memberId: holder.memberId, action, subject: memberId }, request);
    return made;
  });
}

type Made = { readonly id: string; readonly name: string };
type MadeWebhook = Made & { readonly url: string };

/**
 * The API keys and access tokens that a member created and that still work, and the webhooks that the member created or changed, newest first:
 * in a session, or with tokens that came from one.
 */
export type MadeByMember = {
  readonly keys: readonly Made[];
  readonly tokens: readonly Made[];
  readonly webhooks: readonly MadeWebhook[];
};

/** Nobody reads a longer list. */
const MOST_LISTED = 1_000;

const NOTHING: MadeByMember = { keys: [], tokens: [], webhooks: [] };

/**
 * Removes a member; everyone may leave. The sessions, the invitations and the set-up links of the member stop working at once.
 * @param onLeft called, in the transaction, with what a member who leaves made: the audit log lists it too.
 * @returns what the member made, which continues to work.
 * @throws ServiceError `roleInsufficient`, `freshFactorRequired`, `memberNotFound`, `lastOwner`.
 */
export async function removeMember(
  { store }: StoreOnly,
  holder: SessionHolder,
  memberId: string,
  request: MemberRequest,
  onLeft?: (tx: StoreTransaction, made: MadeByMember) => Promise<void>,
): Promise<MadeByMember> {
  const leaves = memberId === holder.memberId;
  if (!leaves) assertOwner(holder);
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
    const by = { accountId, memberId: holder.memberId };
    const left = leaves ? [...made.keys, ...made.tokens, ...made.webhooks] : [];
    if (left.length > 0) await onLeft?.(tx, made);
    await auditMember(
      tx,
      { ...by, action: 'member.remove', subject: memberId },
      request,
      left.map(({ id }) => ({ memberId, action: 'member.leave_behind', subject: id })),
    );
    return made;
  });
}

type OfAccount = { readonly accountId: string; readonly memberId: string };

/**
 * Reads from the audit log what a member made and still exists. This includes what was made with a token of the member, and with the tokens
 * made with that, even if those tokens no longer work.
 */
async function readMadeBy(
  tx: StoreTransaction,
  { accountId, memberId }: OfAccount,
  nowMs: number,
): Promise<MadeByMember> {
  const made = sql`
    with recursive changes as materialized (
      select action, subject, at, member_id, token_id::text from audit_records where account_id = ${accountId} and outcome = 'ok'
        and action in ('createkey', 'rotatekey', 'createtoken', 'createwebhook', 'updatewebhook', 'rotatewebhooksecret')
    ), theirs as (
      select subject as id from changes where action = 'createtoken' and member_id = ${memberId}
      union
      select c.subject from changes c join theirs t on t.id = c.token_id where c.action = 'createtoken'
    ), made as (
      select * from changes where member_id = ${memberId} or token_id in (select id from theirs)
    )`;
  const now = sql`${new Date(nowMs).toISOString()}::timestamptz`;
  const still = sql`x.account_id = ${accountId} and x.revoked_at is null
    and (x.expires_at is null or x.expires_at > ${now})`;
  const newest = sql`order by x.created_at desc, x.id limit ${MOST_LISTED}`;
  // The record of a rotation, written in the minute in which the key is made, names the previous key.
  const keys =
    await tx.execute<Made>(sql`${made} select x.id, x.name from api_keys x where ${still} and (x.ends_at is null or x.ends_at > ${now}) and (
      x.id::text in (select subject from made where action = 'createkey')
      or exists (select from made r join api_keys old on old.id::text = r.subject and old.name = x.name and old.id <> x.id
        where r.action = 'rotatekey' and r.at between x.created_at and x.created_at + interval '1 minute')) ${newest}`);
  const tokens = await tx.execute<Made>(sql`${made} select x.id, x.name from access_tokens x where ${still}
    and x.id::text in (select id from theirs) ${newest}`);
  const webhooks = await tx.execute<MadeWebhook>(sql`${made} select x.id, x.name, x.url from webhooks x
    where x.account_id = ${accountId} and x.id::text in (select subject from made) ${newest}`);
  return { keys: keys.rows, tokens: tokens.rows, webhooks: webhooks.rows };
}

/** Deletes the links that a member of an operating account made for other accounts and that still work. */
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
