import type { Role } from '../members/sessions.ts';
import type { Mail } from './mailer.ts';

// Nothing in a mail is free text of a member: whoever can invite could otherwise write to anybody in the name of this server.

type Linked = { readonly to: string; readonly link: string };

/** The mail that brings an invitation. `account` and `invitedBy` are names of a checked form. */
export function invitationMail({
  to,
  link,
  account,
  invitedBy,
  role,
  expiresAt,
}: Linked & {
  readonly account: string;
  /** Email of the member who invites. */
  readonly invitedBy: string;
  readonly role: Role;
  readonly expiresAt: Date;
}): Mail {
  return {
    to,
    subject: `Invitation to the account ${account}`,
    text: `${invitedBy} invites you to the account ${account} on Keyslot, as ${role}.

Open this link to accept. It works once, until ${inUtc(expiresAt)}:

${link}

If you do not expect this invitation, ignore this mail.
`,
  };
}

/** The mail that brings a link to reset a password. */
export function resetMail({ to, link, expiresAt }: Linked & { readonly expiresAt: Date }): Mail {
  return {
    to,
    subject: 'Reset your password',
    text: `Somebody asked to reset your password on Keyslot.

Open this link to set a new password. It works once, until ${inUtc(expiresAt)}:

${link}

If it was not you, ignore this mail: your password stays as it is.
`,
  };
}

function inUtc(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
