import type { Role } from '../identity/members/sessions.ts';
import type { Mail } from './mailer.ts';

// An email contains no free text of a member: otherwise, members who can invite could write to anyone in the name of this server.

type Linked = { readonly to: string; readonly link: string };

/** Writes the email with an invitation. `account` and `invitedBy` are checked names. */
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

If you do not expect this invitation, ignore this email.
`,
  };
}

/** Writes the email with a link for each login of an address. `accounts` are checked names. */
export function resetMail({
  to,
  links,
  expiresAt,
}: {
  readonly to: string;
  readonly links: readonly { readonly accounts: readonly string[]; readonly link: string }[];
  readonly expiresAt: Date;
}): Mail {
  const several = links.length > 1;
  const shown = links.map(({ accounts, link }) => `${loginOf(accounts)}:\n\n${link}\n`).join('\n');
  return {
    to,
    subject: 'Reset your password',
    text: `Someone asked to reset your password on Keyslot.

${several ? `There are ${links.length} logins with this address. Open the link for yours` : 'Open this link'} to set a new password. ${several ? 'Each' : 'It'} works once, until ${inUtc(expiresAt)}:

${several ? shown : `${links[0]?.link ?? ''}\n\nIt is for the ${loginOf(links[0]?.accounts ?? [])}. If you do not know ${(links[0]?.accounts.length ?? 0) > 1 ? 'these accounts' : 'this account'}, someone else created that login.\n`}
If it was not you, ignore this email: your password stays as it is.
`,
  };
}

/** Maximum number of accounts that an email names for one login. */
const MOST_NAMED = 10;

function loginOf(accounts: readonly string[]): string {
  const named = accounts.slice(0, MOST_NAMED).join(', ');
  const more = accounts.length - MOST_NAMED;
  return `login of the account${accounts.length === 1 ? '' : 's'} ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Writes the email about a webhook that has stopped. `account` is a checked name, `host` the host of the webhook's URL. */
export function stoppedMail({
  to,
  account,
  host,
  stop,
}: {
  readonly to: string;
  readonly account: string;
  readonly host: string;
  readonly stop: 'gone' | 'exhausted';
}): Mail {
  const reason = {
    gone: 'The receiver answered that it wants no more events (status 410).',
    exhausted: 'The receiver did not accept an event for three days.',
  }[stop];
  return {
    to,
    subject: `A webhook of the account ${account} has stopped`,
    text: `The webhook to ${host} no longer sends anything. ${reason}

Turn it on again in the dashboard: waiting events are then sent at once, and no event since then is left out.
`,
  };
}

/** Writes the email about a member who has left, with the number of things they made that still work. `account` is a checked name. */
export function leftMail({
  to,
  account,
  made,
}: {
  readonly to: string;
  readonly account: string;
  readonly made: Readonly<Record<'keys' | 'tokens' | 'webhooks', readonly unknown[]>>;
}): Mail {
  const { keys, tokens, webhooks } = made;
  return {
    to,
    subject: `A member has left the account ${account}`,
    text: `A member has left the account ${account} on Keyslot. Of what the member made, ${keys.length} API keys, ${tokens.length} access tokens and ${webhooks.length} webhooks continue to work, since programs may use them.

The audit log in the dashboard says who left (member.remove) and lists what stays (member.leave_behind). Rotate, revoke or delete anything that should no longer work.
`,
  };
}

function inUtc(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
