import { randomUUID } from 'node:crypto';
import { serviceError } from '../../../core/service-error.ts';
import { and, asc, eq, gt, isNull } from '../../../store/drizzle.ts';
import { memberInvitations, members } from '../../../store/member-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { lockAccount } from '../../accounts/find-account.ts';
import { createKeyText } from '../api-keys/key-text.ts';
import { digestKey } from '../api-keys/keyring.ts';
import { auditMember } from './audit-member.ts';
import { enterLogin, findMemberOf, prepareLogin, readEmail } from './logins.ts';
import type { MemberDeps, MemberRequest } from './member-deps.ts';
import { assertFresh, assertOwner, type Role, type SessionHolder } from './sessions.ts';
import type { Accepted, NewToken } from './setup-links.ts';

/** An open invitation as it is listed, without its token. */
export type Invitation = {
  readonly invitationId: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

type StoreOnly = { readonly store: Pick<Store, 'db' | 'transaction'> };

const INVITATION_MS = 7 * 86_400_000;
const HOUR_MS = 3_600_000;
/** Each is an email: open invitations of an account, and invitations of one email within an hour. */
const MOST = { open: 100, hourly: 5 } as const;

/**
 * Invites a person to the account, for seven days. An open invitation for the same email stops working.
 * @throws ServiceError `roleInsufficient`, `freshFactorRequired`, `emailInvalid`, `memberExists`, `tooManyInvitations`.
 */
export async function invite(
  { store }: StoreOnly,
  holder: SessionHolder,
  { role, ...sent }: { readonly email: string; readonly role: Role },
  request: MemberRequest,
): Promise<NewToken & { readonly invitationId: string }> {
  assertOwner(holder);
  assertFresh(holder, request.nowMs);
  const email = readEmail(sent.email);
  const { accountId, memberId } = holder;
  const [token, invitationId] = [createKeyText('ks_inv_'), randomUUID()];
  const expiresAt = new Date(request.nowMs + INVITATION_MS);
  await store.transaction(async (tx) => {
    if ((await findMemberOf(tx, accountId, email)) !== undefined) throw serviceError('memberExists');
    const isSame = eq(memberInvitations.email, email);
    await tx
      .update(memberInvitations)
      .set({ withdrawnAt: new Date(request.nowMs) })
      .where(and(isOpen(accountId), isSame));
    await assertFew(tx, { accountId, email }, request.nowMs);
    await tx.insert(memberInvitations).values({
      id: invitationId,
      accountId,
      email,
      role,
      digest: digestKey(token),
      invitedBy: memberId,
      createdAt: new Date(request.nowMs),
      expiresAt,
    });
    const change = { accountId, memberId, action: 'invitation.create', subject: invitationId } as const;
    await auditMember(tx, change, request);
  });
  return { invitationId, token, expiresAt };
}

/** Lists the open invitations of an account, oldest first. */
export async function listInvitations(
  { store }: StoreOnly,
  accountId: string,
  nowMs: number,
): Promise<readonly Invitation[]> {
  const { id: invitationId, email, role, createdAt, expiresAt } = memberInvitations;
  return store.db
    .select({ invitationId, email, role, createdAt, expiresAt })
    .from(memberInvitations)
    .where(and(isOpen(accountId), gt(expiresAt, new Date(nowMs))))
    .orderBy(asc(createdAt), asc(invitationId));
}

/** Withdraws an open invitation. @throws ServiceError `roleInsufficient`, `invitationNotFound`. */
export async function withdrawInvitation(
  { store }: StoreOnly,
  holder: SessionHolder,
  invitationId: string,
  request: MemberRequest,
): Promise<void> {
  assertOwner(holder);
  const { accountId, memberId } = holder;
  await store.transaction(async (tx) => {
    const withdrawn = await tx
      .update(memberInvitations)
      .set({ withdrawnAt: new Date(request.nowMs) })
      .where(and(isOpen(accountId), eq(memberInvitations.id, invitationId)))
      .returning({ id: memberInvitations.id });
    if (withdrawn.length === 0) throw serviceError('invitationNotFound');
    const change = { accountId, memberId, action: 'invitation.withdraw', subject: invitationId } as const;
    await auditMember(tx, change, request);
  });
}

/** Withdraws the open invitations that a former owner made. */
export async function withdrawInvitationsOf(
  tx: StoreTransaction,
  { accountId, memberId }: { readonly accountId: string; readonly memberId: string },
  nowMs: number,
): Promise<void> {
  await tx
    .update(memberInvitations)
    .set({ withdrawnAt: new Date(nowMs) })
    .where(and(isOpen(accountId), eq(memberInvitations.invitedBy, memberId)));
}

/**
 * Accepts an invitation: makes a new login with the invited email, or the one that has this password, a member.
 * @param sent `code` of the second factor of the login that has this password.
 * @throws ServiceError `invitationInvalid`, `passwordUnfit`, `nameUnfit`, `secondFactorRequired`, `secondFactorInvalid`, `signInLocked`,
 *   `memberExists`.
 */
export async function acceptInvitation(
  deps: MemberDeps,
  sent: {
    readonly token: string;
    readonly name: string;
    readonly password: string;
    readonly code?: string | undefined;
  },
  request: MemberRequest,
): Promise<Accepted> {
  const { digest, acceptedAt, withdrawnAt, expiresAt } = memberInvitations;
  const isThis = and(
    ...[eq(digest, digestKey(sent.token)), isNull(acceptedAt), isNull(withdrawnAt)],
    gt(expiresAt, new Date(request.nowMs)),
  );
  const [found] = await deps.store.db.select().from(memberInvitations).where(isThis);
  if (found === undefined) throw serviceError('invitationInvalid');
  const { accountId, email } = found;
  const { name, password, code } = sent;
  const prepared = await prepareLogin(deps, { accountId, email, name, password, code }, request);
  return deps.store.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const now = new Date(request.nowMs);
    const [invitation] = await tx
      .update(memberInvitations)
      .set({ acceptedAt: now })
      .where(isThis)
      .returning({ role: memberInvitations.role });
    if (invitation === undefined) throw serviceError('invitationInvalid');
    if ((await findMemberOf(tx, accountId, email)) !== undefined) throw serviceError('memberExists');
    const userId = await enterLogin(tx, deps, prepared, request.nowMs);
    const { role } = invitation;
    const memberId = randomUUID();
    await tx.insert(members).values({ id: memberId, accountId, userId, role, createdAt: now });
    const change = { accountId, memberId, action: 'invitation.accept', subject: found.id } as const;
    await auditMember(tx, change, request);
    return { memberId, accountId, email, role };
  });
}

function isOpen(accountId: string) {
  const { accountId: owner, acceptedAt, withdrawnAt } = memberInvitations;
  return and(eq(owner, accountId), isNull(acceptedAt), isNull(withdrawnAt));
}

async function assertFew(
  tx: StoreTransaction,
  { accountId, email }: { readonly accountId: string; readonly email: string },
  nowMs: number,
): Promise<void> {
  const { accountId: owner, email: invited, createdAt, expiresAt } = memberInvitations;
  const isRecent = and(eq(owner, accountId), eq(invited, email), gt(createdAt, new Date(nowMs - HOUR_MS)));
  const [open, hourly] = [
    await tx.$count(memberInvitations, and(isOpen(accountId), gt(expiresAt, new Date(nowMs)))),
    await tx.$count(memberInvitations, isRecent),
  ];
  if (open >= MOST.open) throw serviceError('tooManyInvitations', { limit: MOST.open });
  if (hourly >= MOST.hourly) throw serviceError('tooManyInvitations', { limit: MOST.hourly });
}
