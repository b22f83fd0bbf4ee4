import type { Session } from '../../../generated/account/types.ts';
import { describeSession } from '../identity/members/describe-session.ts';
import { scopesOf } from '../identity/members/role-scopes.ts';
import type { SessionHolder } from '../identity/members/sessions.ts';
import type { AccountContext } from './account-context.ts';

/** Returns a session as the account service shows it. */
export async function toSessionView(
  { members, networks, grpcUrlOf, baseUrl, clock }: AccountContext,
  holder: SessionHolder,
): Promise<Session> {
  const { accountId, memberId, role, freshFactorUntilMs, expiresAtMs } = holder;
  const { email, name, memberships, hasSecondFactor, backupCodesLeft } = await describeSession(
    members,
    holder,
  );
  const joined = memberships.map((each) => ({
    account_id: each.accountId,
    name: each.name,
    role: each.role,
  }));
  const account = joined.find(({ account_id }) => account_id === accountId);
  const grpcUrl = grpcUrlOf(baseUrl);
  const isFresh = freshFactorUntilMs > clock.nowMs();
  return {
    member: { member_id: memberId, email, name, role },
    account: account ?? { account_id: accountId, name: '', role },
    accounts: joined,
    scopes: [...scopesOf(holder)],
    expires_at: new Date(expiresAtMs).toISOString(),
    ...(isFresh && { fresh_until: new Date(freshFactorUntilMs).toISOString() }),
    has_second_factor: hasSecondFactor,
    backup_codes_left: backupCodesLeft,
    networks: networks.map(({ rpcPath, ...network }) => ({ ...network, rpc_path: rpcPath })),
    ...(grpcUrl !== undefined && { grpc_url: grpcUrl }),
  };
}
