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

/** The mail that brings a link for each login of an address. `accounts` are names of a checked form. */
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
    text: `Somebody asked to reset your password on Keyslot.

${several ? `There are ${links.length} logins with this address. Open the link of yours` : 'Open this link'} to set a new password. ${several ? 'Each' : 'It'} works once, until ${inUtc(expiresAt)}:

${several ? shown : `${links[0]?.link ?? ''}\n\nIt is for the ${loginOf(links[0]?.accounts ?? [])}. If you do not know ${(links[0]?.accounts.length ?? 0) > 1 ? 'these accounts' : 'this account'}, somebody else made that login.\n`}
If it was not you, ignore this mail: your password stays as it is.
`,
  };
}

/** The most accounts that a mail names of one login. */
const MOST_NAMED = 10;

function loginOf(accounts: readonly string[]): string {
  const named = accounts.slice(0, MOST_NAMED).join(', ');
  const more = accounts.length - MOST_NAMED;
  return `login of the account${accounts.length === 1 ? '' : 's'} ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The mail that says that a webhook has stopped. `account` is a name of a checked form, `host` the host of the webhook's URL. */
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
    exhausted: 'The receiver did not take an event for three days.',
  }[stop];
  return {
    to,
    subject: `A webhook of the account ${account} has stopped`,
    text: `The webhook to ${host} sends nothing any more. ${reason}

Turn it on again in the dashboard: what waits is then sent at once, and no event since is left out.
`,
  };
}

function inUtc(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
