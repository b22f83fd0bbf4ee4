import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { listInvitations as list } from '../../identity/members/invitations.ts';
import type { AccountContext } from '../account-context.ts';

/** `GET /account/v1/invitations`: the open ones, without their tokens. */
export const listInvitations: AccountHandler<AccountContext, 'listInvitations'> = async ({
  members,
  caller,
  request,
}) => {
  const rows = await list(members, caller.accountId, request.nowMs);
  return {
    kind: 'json',
    body: {
      invitations: rows.map(({ invitationId, email, role, createdAt, expiresAt }) => ({
        invitation_id: invitationId,
        email,
        role,
        created_at: createdAt.toISOString(),
        expires_at: expiresAt.toISOString(),
      })),
    },
  };
};
