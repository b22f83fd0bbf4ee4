import type { Role } from '../../../../generated/account/types.ts';

/** A role in words. */
export type RoleText = { readonly title: string; readonly may: string };

/** Every role, the most powerful first; the compiler checks them against the specification. */
export const ROLE_TEXTS: Readonly<Record<Role, RoleText>> = {
  owner: { title: 'Owner', may: 'Can do everything, including members and money.' },
  developer: {
    title: 'Developer',
    may: 'Manages keys, tokens, wallets and limits, but no members and no money.',
  },
  billing: { title: 'Billing', may: 'Can see the account and its money, but changes nothing.' },
  viewer: { title: 'Viewer', may: 'Can see the account, its wallets and its audit log, but no money.' },
};

/** Every role, in that order. */
export const ROLE_NAMES = Object.keys(ROLE_TEXTS).filter(isRole);

/** True for the name of a role. */
export function isRole(name: string): name is Role {
  return Object.hasOwn(ROLE_TEXTS, name);
}
