import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { listMembers as list } from '../../identity/members/members.ts';
import type { OperationContext } from '../account-context.ts';

/** `GET /account/v1/members` */
export const listMembers: AccountHandler<OperationContext, 'listMembers'> = async (context) => {
  const rows = await list(context, context.caller.accountId);
  return {
    kind: 'json',
    body: {
      members: rows.map(({ memberId, email, name, role, hasSecondFactor, createdAt }) => ({
        member_id: memberId,
        email,
        name,
        role,
        has_second_factor: hasSecondFactor,
        created_at: createdAt.toISOString(),
      })),
    },
  };
};
