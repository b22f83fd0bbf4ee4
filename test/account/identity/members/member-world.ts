import { Secret, TOTP } from 'otpauth';
import type { RefusedAccess } from '../../../../src/account/identity/refusal-log.ts';
import type { MemberRequest } from '../../../../src/account/identity/members/member-deps.ts';
import { createMemberDeps } from '../../../../src/account/identity/members/member-deps.ts';
import { acceptInvitation, invite } from '../../../../src/account/identity/members/invitations.ts';
import {
  beginMemberFactor,
  confirmMemberFactor,
} from '../../../../src/account/identity/members/member-factor.ts';
import {
  authenticateSession,
  type Role,
  type SessionHolder,
} from '../../../../src/account/identity/members/sessions.ts';
import { acceptSetupLink, createSetupLink } from '../../../../src/account/identity/members/setup-links.ts';
import {
  type SignInDeps,
  type SignInParams,
  signIn,
} from '../../../../src/account/identity/members/sign-in.ts';
import { toServiceError } from '../../../../src/core/service-error.ts';
import type { Store } from '../../../../src/store/open-store.ts';
import { newCustomer, NOW_MS } from '../../new-customer.ts';
import { newInstallationKey } from '../../test-installation-key.ts';

export const PASSWORD = 'correct horse battery staple';
export const MINUTE_MS = 60_000;
export const STEP_MS = 30_000;

const installationKey = await newInstallationKey();
let made = 0;

/** An email that no other test has. */
export function newEmail(): string {
  made += 1;
  return `member${made}@example.com`;
}

/** A request at a time, from an address that no other request of the test run has unless it is given. */
export function at(nowMs = NOW_MS, address?: string): MemberRequest {
  made += 1;
  const own = `10.${(made >> 16) % 256}.${(made >> 8) % 256}.${made % 256}`;
  return { requestId: `req_${made}`, address: address ?? own, userAgent: 'test', nowMs };
}

/** Members of accounts on a store, with passwords that are hashed fast. */
export function memberWorld(store: Store, cost = { n: 2 ** 8, r: 8, p: 1 }) {
  const refused: RefusedAccess[] = [];
  const note = (one: RefusedAccess): void => void refused.push(one);
  const deps: SignInDeps = {
    ...createMemberDeps({ store, installationKey }, cost),
    refusals: { note },
  };
  const holderOf = (token: string, nowMs = NOW_MS): Promise<SessionHolder> =>
    authenticateSession(store.db, token, nowMs);
  const enter = async (email: string, more: Partial<SignInParams> = {}, request = at()) =>
    signIn(deps, { email, password: PASSWORD, ...more }, request);

  /** A new account with an owner, who has no second factor yet. */
  async function newOwner(email = newEmail()) {
    const accountId = await newCustomer(store);
    const { token } = await createSetupLink(deps, accountId, at());
    const { memberId } = await acceptSetupLink(deps, { token, email, name: 'Ann', password: PASSWORD }, at());
    return { accountId, memberId, email };
  }

  /** Enrols the second factor of a member who is signed in. @returns the fresh session. */
  async function enrol(token: string, nowMs = NOW_MS, password = PASSWORD) {
    const { secret } = await beginMemberFactor(deps, await holderOf(token, nowMs), password, at(nowMs));
    const codeAt = (timeMs: number): string =>
      TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: timeMs });
    const holder = await holderOf(token, nowMs);
    const { backupCodes, session } = await confirmMemberFactor(deps, holder, codeAt(nowMs), at(nowMs));
    return { codeAt, backupCodes, token: session.token };
  }

  /** A new account with an owner whose session is fresh. */
  async function freshOwner() {
    const owner = await newOwner();
    const enrolled = await enrol((await enter(owner.email)).token);
    return { ...owner, ...enrolled, holder: await holderOf(enrolled.token) };
  }

  /** A new member of an account. */
  async function newMember(holder: SessionHolder, role: Role, email = newEmail()) {
    const { token } = await invite(deps, holder, { email, role }, at());
    return {
      ...(await acceptInvitation(deps, { token, name: 'Bob', password: PASSWORD }, at(NOW_MS + 1))),
      email,
    };
  }

  return { deps, refused, holderOf, enter, newOwner, enrol, freshOwner, newMember };
}

/** The code of the error that a promise rejects with. */
export const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: unknown) => toServiceError(error).code,
  );
