import { DEVELOPMENT } from '../account/development-name.ts';
import { readNewAccount } from './account-request.ts';

/** A request about members, checked. */
export type MemberCommand =
  | { readonly kind: 'members.setup-link'; readonly account: string }
  | { readonly kind: 'members.list'; readonly account: string }
  | { readonly kind: 'members.reset'; readonly account: string; readonly email: string };

type Members = Readonly<Record<string, unknown>>;
type Kind = MemberCommand['kind'];

const KINDS: ReadonlySet<unknown> = new Set<Kind>(['members.setup-link', 'members.list', 'members.reset']);

/** True for a request about members, by its kind. */
export function isMemberRequest(members: Members): members is Members & { readonly kind: Kind } {
  return KINDS.has(members.kind);
}

/** Checks a request about members. @throws ServiceError `invalidCommand` for an account whose name none can have. */
export function readMemberRequest({
  kind,
  account,
  email,
}: Members & { readonly kind: Kind }): MemberCommand {
  switch (kind) {
    case 'members.setup-link':
      return { kind, account: account === DEVELOPMENT ? DEVELOPMENT : readNewAccount(account) };
    case 'members.list':
      return { kind, account: String(account) };
    case 'members.reset':
      return { kind, account: String(account), email: String(email) };
  }
}
