import type { Role } from '../../../../generated/account/types.ts';

/** A role in words. */
export type RoleText = { readonly title: string; readonly may: string };

/** Every role, from the one that may do everything; the compiler holds them against the specification. */
export const ROLE_TEXTS: Readonly<Record<Role, RoleText>> = {
  owner: { title: 'Owner', may: 'Everything, members and money included.' },
  developer: { title: 'Developer', may: 'Keys, tokens, wallets and limits; neither members nor money.' },
  billing: { title: 'Billing', may: 'Reads the account and its money; changes nothing.' },
  viewer: { title: 'Viewer', may: 'Reads the account, its wallets and its audit log; no money.' },
};

/** Every role, in that order. */
export const ROLE_NAMES = Object.keys(ROLE_TEXTS).filter(isRole);

/** True for the name of a role. */
export function isRole(name: string): name is Role {
  return Object.hasOwn(ROLE_TEXTS, name);
}
