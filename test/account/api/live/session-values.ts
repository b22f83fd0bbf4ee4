import type { AccountValueName } from '../../../../generated/contract/account/contract.ts';
import { type OperationId, OPERATIONS } from '../../../../generated/account/operations.ts';
import type { RestCase } from '../../../../runtime/rest-case.ts';
import type { Role } from '../../../../src/account/identity/members/sessions.ts';
import { isOperatorScope } from '../../../../src/account/identity/tokens/scopes.ts';
import { type Login, PASSWORD, type TestMembers } from './provision-members.ts';

type Value = (item: RestCase) => Promise<string> | string;

/** True for an operation of accounts that operate the server. */
function isOperators({ operation }: RestCase): boolean {
  const { scopes } = OPERATIONS[operation as OperationId];
  return scopes.some(isOperatorScope);
}

/** The values about members and sessions. What a case may use up is another one each time. */
export async function sessionValues(
  members: TestMembers,
  names: Readonly<Record<'account' | 'other' | 'limited' | 'operator', string>>,
): Promise<{
  readonly values: Partial<Readonly<Record<AccountValueName, Value>>>;
  /** The login of a member that a run holds at the limit of requests. */
  readonly limited: Login;
}> {
  const ids = await Promise.all(
    [names.account, names.other, names.limited, names.operator].map(members.accountIdOf),
  );
  const [accountId = '', otherId = '', limitedId = '', operatorId = ''] = ids;
  const owner = await members.newOwner(accountId);
  const operator = await members.newOwner(operatorId);
  const stranger = await members.newOwner(otherId);
  const limited = await members.newOwner(limitedId);
  const withFactor = await members.newOwner(accountId);
  await members.newFactorSession(withFactor);
  const newStale = async (id: string): Promise<string> => {
    const { token } = await members.newFactorSession(await members.newOwner(id));
    await members.setFresh(token, null);
    return token;
  };
  const [stale, staleOperator] = [await newStale(accountId), await newStale(operatorId)];
  const lockedLogin = await members.newOwner(await members.accountIdOf('locked'));
  await members.lock(lockedLogin.email);
  let enrollingCode = '';
  let backupCode = '';

  const asRole = (role: Role) => async (item: RestCase) => {
    const first = isOperators(item) ? operator : owner;
    const login = role === 'owner' ? members.newOwner(first.accountId) : members.newMember(first, role);
    return members.newSession(await login);
  };
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
  const values: Partial<Readonly<Record<AccountValueName, Value>>> = {
    session: async (item) =>
      item.operation === 'endSession' ? members.newSession(owner) : asRole('owner')(item),
    owner_session: asRole('owner'),
    developer_session: asRole('developer'),
    billing_session: asRole('billing'),
    viewer_session: asRole('viewer'),
    other_account_session: () => members.newSession(stranger),
    stale_session: (item) => (isOperators(item) ? staleOperator : stale),
    factor_session: withBackupCode,
    enrolling_session: enrol,
    // Behind its session in a request.
    enrolling_code: () => enrollingCode,
    backup_code: () => backupCode,
    locked_session: async () => members.newLockedSession(await members.newOwner(accountId)),
    unknown_session: members.unknownSession,
    ended_session: () => members.newEndedSession(owner),
    email: async () => (await members.newOwner(accountId)).email,
    password: () => PASSWORD,
    other_email: () => stranger.email,
    factor_email: () => withFactor.email,
    locked_email: () => lockedLogin.email,
    new_email: members.newEmail,
    own_account_id: () => accountId,
    other_account_id: () => otherId,
    fresh_session_id: async () => (await members.holderOf(await members.newSession(owner))).sessionId,
    fresh_member_id: async () => (await members.newMember(owner, 'viewer')).memberId,
    other_member_id: () => stranger.memberId,
    fresh_invitation_id: async () => (await members.newInvitation(owner)).invitationId,
    invited_email: async () => {
      const email = members.newEmail();
      for (let sent = 0; sent < 5; sent += 1) await members.newInvitation(owner, email);
      return email;
    },
    invitation_token: async () => (await members.newInvitation(owner)).token,
    known_invitation_token: async () => (await members.newInvitation(owner, stranger.email)).token,
    factor_invitation_token: async () => {
      const login = await members.newOwner(accountId);
      await members.newFactorSession(login);
      return (await members.newInvitation(stranger, login.email)).token;
    },
    joined_invitation_token: async () => {
      const email = members.newEmail();
      const { token } = await members.newInvitation(owner, email);
      await members.newOwner(accountId, email);
      return token;
    },
    locked_invitation_token: async () => (await members.newInvitation(owner, lockedLogin.email)).token,
    reset_token: async () => members.newResetToken(await members.newOwner(accountId)),
    limited_email: members.newLimitedEmail,
    setup_token: () => members.newSetupToken(),
    other_setup_token: () => members.newSetupToken(otherId),
  };
  return { values, limited };
}
