import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { readEmail } from '../../account/members/ensure-login.ts';
import { invite } from '../../account/members/invitations.ts';
import { linkTo } from '../../account/members/member-links.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';

/** `POST /account/v1/invitations`. The link is in the answer, and nowhere else; no server or proxy sees its fragment. */
export const createInvitation: AccountHandler<AccountContext, 'createInvitation'> = async (
  context,
  { body },
) => {
  const { members, request, baseUrl } = context;
  const { invitationId, token, expiresAt } = await invite(members, sessionOf(context), body, request);
  const shown = { invitation_id: invitationId, email: readEmail(body.email), role: body.role };
  const link = linkTo(baseUrl, 'invitation', token);
  return { kind: 'json', body: { ...shown, expires_at: expiresAt.toISOString(), link } };
};
