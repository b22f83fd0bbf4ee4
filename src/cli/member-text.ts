import { textTable } from './text-table.ts';

type Link = Readonly<Record<'account' | 'link' | 'expires_at', string>>;

type Member = {
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly has_second_factor: boolean;
  readonly created_at: string;
};

/** The texts of the results of requests about members. */
export const MEMBER_TEXTS: Readonly<Record<string, (result: never) => string>> = {
  'members.setup-link': ({ account, ...link }: Link) =>
    `Open this link to become an owner of the account ${account}.${describeLink(link)}`,
  'members.reset': ({ email, account, ...link }: Link & { readonly email: string }) =>
    `Closed the login of ${email} (account ${account}). By this link the member chooses a new password.${describeLink(link)}`,
  'members.list': ({
    account,
    members,
  }: {
    readonly account: string;
    readonly members: readonly Member[];
  }) =>
    members.length === 0
      ? `The account ${account} has no members; keyslot setup-link ${account} makes the first.\n`
      : textTable(HEAD, members.map(cells)),
};

const HEAD = ['EMAIL', 'NAME', 'ROLE', 'SECOND FACTOR', 'SINCE'] as const;

function describeLink({ link, expires_at: expiresAt }: Omit<Link, 'account'>): string {
  return ` It works once, until ${expiresAt}:\n\n  ${link}\n\n`;
}

function cells({ email, name, role, has_second_factor: hasFactor, created_at: since }: Member) {
  return [email, name, role, hasFactor ? 'yes' : 'no', since];
}
