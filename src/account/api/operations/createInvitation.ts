import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { describeSession } from '../../identity/members/describe-session.ts';
import { readEmail } from '../../identity/members/logins.ts';
import { invite } from '../../identity/members/invitations.ts';
import { linkTo } from '../../identity/members/member-links.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';

/** `POST /account/v1/invitations`. The link is in the answer and the email, and nowhere else; no server or proxy sees its fragment. */
export const createInvitation: AccountHandler<AccountContext, 'createInvitation'> = async (
  context,
  { body },
) => {
  const { members, request, baseUrl } = context;
  const made = await invite(members, sessionOf(context), body, request);
  const { invitationId, token, expiresAt } = made;
  const shown = { invitation_id: invitationId, email: readEmail(body.email), role: body.role };
  const link = linkTo(baseUrl, 'invitation', token);
  const isMailed = await sendInvitation(context, { ...made, to: shown.email, role: body.role });
  return {
    kind: 'json',
    body: { ...shown, expires_at: expiresAt.toISOString(), link, is_mailed: isMailed },
  };
};

type Made = Awaited<ReturnType<typeof invite>> & {
  readonly to: string;
  readonly role: 'owner' | 'developer' | 'billing' | 'viewer';
};

async function sendInvitation(context: AccountContext, invited: Made): Promise<boolean> {
  const { mail, members } = context;
  if (mail === undefined) return false;
  const holder = sessionOf(context);
  const { email: invitedBy, memberships } = await describeSession(members, holder);
  const account = memberships.find(({ accountId }) => accountId === holder.accountId)?.name ?? '';
  return mail.sendInvitation({ ...invited, account, invitedBy });
}
