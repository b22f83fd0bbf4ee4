import type { AccountValueName } from '../../../generated/contract/account/contract.ts';
import type { RestCase } from '../../../runtime/rest-case.ts';
import type { Role } from '../../../src/account/members/sessions.ts';
import { PASSWORD, type TestMembers } from './provision-members.ts';

type Value = (item: RestCase) => Promise<string> | string;

/** The values about members and sessions. What a case may use up is another one each time. */
export async function sessionValues(
  members: TestMembers,
  names: { readonly account: string; readonly other: string; readonly limited: string },
): Promise<Partial<Readonly<Record<AccountValueName, Value>>>> {
  const ids = await Promise.all([names.account, names.other, names.limited].map(members.accountIdOf));
  const [accountId = '', otherId = '', limitedId = ''] = ids;
  const owner = await members.newOwner(accountId);
  const stranger = await members.newOwner(otherId);
  const limited = await members.newOwner(limitedId);
  const withFactor = await members.newOwner(accountId);
  await members.newFactorSession(withFactor);
  const stale = await members.newFactorSession(await members.newOwner(accountId));
  await members.setFresh(stale.token, null);
  const lockedLogin = await members.newOwner(await members.accountIdOf('locked'));
  await members.lock(lockedLogin.email);
  let enrollingCode = '';
  let backupCode = '';

  const asRole = (role: Role) => async () =>
    members.newSession(
      role === 'owner' ? await members.newOwner(accountId) : await members.newMember(owner, role),
    );
  const enrol = async (): Promise<string> => {
    const token = await members.newSession(await members.newOwner(accountId));
    enrollingCode = await members.beginFactor(token);
    return token;
  };
  const withBackupCode = async (): Promise<string> => {
    const { token, backupCodes } = await members.newFactorSession(await members.newOwner(accountId));
    backupCode = backupCodes[0] ?? '';
    return token;
  };
  return {
    session: async ({ operation }) =>
      members.newSession(operation === 'endSession' ? owner : await members.newOwner(accountId)),
    ...{ owner_session: asRole('owner'), developer_session: asRole('developer') },
    ...{ billing_session: asRole('billing'), viewer_session: asRole('viewer') },
    other_account_session: () => members.newSession(stranger),
    session_at_rate_limit: () => members.newSession(limited),
    ...{ stale_session: () => stale.token, factor_session: withBackupCode, enrolling_session: enrol },
    // Behind its session in a request.
    ...{ enrolling_code: () => enrollingCode, backup_code: () => backupCode },
    locked_session: async () => members.newLockedSession(await members.newOwner(accountId)),
    unknown_session: members.unknownSession,
    ended_session: () => members.newEndedSession(owner),
    email: async () => (await members.newOwner(accountId)).email,
    ...{
      password: () => PASSWORD,
      factor_email: () => withFactor.email,
      locked_email: () => lockedLogin.email,
    },
    new_email: members.newEmail,
    ...{ own_account_id: () => accountId, other_account_id: () => otherId },
    fresh_session_id: async () => (await members.holderOf(await members.newSession(owner))).sessionId,
    fresh_member_id: async () => (await members.newMember(owner, 'viewer')).memberId,
    other_member_id: () => stranger.memberId,
    fresh_invitation_id: async () => (await members.newInvitation(owner)).invitationId,
    invitation_token: async () => (await members.newInvitation(owner)).token,
    known_invitation_token: async () => (await members.newInvitation(owner, stranger.email)).token,
    joined_invitation_token: async () => {
      const email = members.newEmail();
      const { token } = await members.newInvitation(owner, email);
      await members.newOwner(accountId, email);
      return token;
    },
    locked_invitation_token: async () => (await members.newInvitation(owner, lockedLogin.email)).token,
    setup_token: () => members.newSetupToken(),
  };
}
