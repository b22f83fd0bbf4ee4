import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { listMembers as list } from '../../account/members/members.ts';
import type { AccountContext } from '../account-context.ts';

/** `GET /account/v1/members` */
export const listMembers: AccountHandler<AccountContext, 'listMembers'> = async ({ members, caller }) => {
  const rows = await list(members, caller.accountId);
  return {
    kind: 'json',
    body: {
      members: rows.map(({ memberId, email, name, role, hasSecondFactor, createdAt }) => ({
        ...{ member_id: memberId, email, name, role },
        ...{ has_second_factor: hasSecondFactor, created_at: createdAt.toISOString() },
      })),
    },
  };
};
