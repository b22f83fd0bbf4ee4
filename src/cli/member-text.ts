import { textTable } from './text-table.ts';

type Link = Readonly<Record<'account' | 'email' | 'link' | 'expires_at', string>>;

type Member = Readonly<Record<'member_id' | 'email' | 'name' | 'role' | 'created_at', string>> & {
  readonly has_second_factor: boolean;
};

/** The texts of the results of requests about members. */
export const MEMBER_TEXTS: Readonly<Record<string, (result: never) => string>> = {
  'members.setup-link': ({ account, link, expires_at }: Link) =>
    `This link makes its user an owner of the account ${account}, once, until ${expires_at}. Copy it now; it is not shown again:\n\n  ${link}\n\n`,
  'members.list': ({ members }: { readonly members: readonly Member[] }) =>
    members.length === 0 ? 'The account has no members.\n' : textTable(MEMBER_HEAD, members.map(memberCells)),
  'members.reset': ({ email, link, expires_at }: Link) =>
    `Closed the login ${email}: its password, second factor and sessions are gone. This link sets a new password, once, until ${expires_at}. Copy it now; it is not shown again:\n\n  ${link}\n\n`,
};

const MEMBER_HEAD = ['EMAIL', 'NAME', 'ROLE', 'SECOND FACTOR', 'SINCE'] as const;

function memberCells({ email, name, role, has_second_factor, created_at }: Member): readonly string[] {
  return [email, name, role, has_second_factor ? 'yes' : 'no', created_at];
}
