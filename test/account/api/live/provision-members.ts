import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { Secret, TOTP } from 'otpauth';
import { loadInstallationKey } from '../../../../src/account/sealing/installation-key.ts';
import { createKeyText } from '../../../../src/account/identity/api-keys/key-text.ts';
import { acceptInvitation, invite } from '../../../../src/account/identity/members/invitations.ts';
import {
  beginMemberFactor,
  confirmMemberFactor,
} from '../../../../src/account/identity/members/member-factor.ts';
import {
  createMemberDeps,
  type MemberRequest,
} from '../../../../src/account/identity/members/member-deps.ts';
import {
  authenticateSession,
  type Role,
  type SessionHolder,
  signOut,
} from '../../../../src/account/identity/members/sessions.ts';
import { acceptSetupLink, createSetupLink } from '../../../../src/account/identity/members/setup-links.ts';
import { signIn } from '../../../../src/account/identity/members/sign-in.ts';
import { createResetLinks } from '../../../../src/account/identity/members/password-resets.ts';
import { countAttempt, countReset } from '../../../../src/account/identity/members/sign-in-attempts.ts';
import { ensureAccount } from '../../../../src/account/accounts/accounts.ts';
import { eq } from '../../../../src/store/drizzle.ts';
import { loginSessions, memberFactors } from '../../../../src/store/member-tables.ts';
import { openStore } from '../../../../src/store/open-store.ts';

/** The password of every login of a run. */
export const PASSWORD = 'correct horse battery staple';
const FRESH_MS = 3_600_000;
/** Attempts that lock an email wherever it is used. */
const LOCKING = 50;
/** Requests that limit an email wherever they come from. */
const LIMITING = 5;
const CHEAP = { n: 2 ** 8, r: 8, p: 1 };

export type Login = { readonly memberId: string; readonly accountId: string; readonly email: string };

/** Makes members, sessions and links in the store of a server, without asking it. */
export async function openMembers({
  dataDir,
  databaseUrl,
  file,
}: {
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** That of the installation key, if it is not in the data directory. */
  readonly file?: string | undefined;
}) {
  const log = pino({ level: 'silent' });
  const store = await openStore({ dataDir, databaseUrl }, log);
  const installationKey = await loadInstallationKey({ dataDir, file });
  const deps = {
    ...createMemberDeps({ store, installationKey }, CHEAP),
    refusals: { note: () => undefined },
  };
  let made = 0;
  /** From an address that no other request has. */
  const at = (): MemberRequest => {
    made += 1;
    return { requestId: `req_${made}`, address: `10.9.${made >> 8}.${made % 256}`, nowMs: Date.now() };
  };
  const newEmail = (): string => `someone${++made}@example.com`;
  const accountIdOf = (name: string): Promise<string> => ensureAccount(store, name, Date.now());

  async function newSetupToken(accountId?: string): Promise<string> {
    const account = accountId ?? (await accountIdOf(`new-${++made}`));
    return (await createSetupLink(deps, account, at())).token;
  }

  async function newOwner(accountId: string, email = newEmail()): Promise<Login> {
    const token = await newSetupToken(accountId);
    return acceptSetupLink(deps, { token, email, name: 'Ann', password: PASSWORD }, at());
  }

  const ownerOf = ({ accountId, memberId }: Login): SessionHolder => ({
    accountId,
    memberId,
    userId: randomUUID(),
    sessionId: randomUUID(),
    role: 'owner',
    operates: false,
    freshFactorUntilMs: Date.now() + FRESH_MS,
    expiresAtMs: Date.now() + FRESH_MS,
  });
  const newInvitation = (owner: Login, email = newEmail(), role: Role = 'viewer') =>
    invite(deps, ownerOf(owner), { email, role }, at());

  async function newMember(owner: Login, role: Role): Promise<Login> {
    const { token } = await newInvitation(owner, newEmail(), role);
    return acceptInvitation(deps, { token, name: 'Bob', password: PASSWORD }, at());
  }

  const holderOf = (token: string): Promise<SessionHolder> =>
    authenticateSession(store.db, token, Date.now());

  async function setFresh(token: string, freshUntil: Date | null): Promise<void> {
    const { sessionId } = await holderOf(token);
    await store.db.update(loginSessions).set({ freshUntil }).where(eq(loginSessions.id, sessionId));
  }

  /** A fresh session. */
  async function newSession({ email, accountId }: Login): Promise<string> {
    const { token } = await signIn(deps, { email, password: PASSWORD, accountId }, at());
    await setFresh(token, new Date(Date.now() + FRESH_MS));
    return token;
  }

  /** Begins to enrol a second factor. @returns its first code. */
  async function beginFactor(token: string): Promise<string> {
    const { secret } = await beginMemberFactor(deps, await holderOf(token), PASSWORD, at());
    return TOTP.generate({ secret: Secret.fromBase32(secret) });
  }

  /** A fresh session with a second factor. */
  async function newFactorSession(login: Login) {
    const begun = await newSession(login);
    const code = await beginFactor(begun);
    const { backupCodes, session } = await confirmMemberFactor(deps, await holderOf(begun), code, at());
    return { token: session.token, backupCodes: [...backupCodes] };
  }

  /** Locks an email everywhere. */
  async function lock(email: string): Promise<void> {
    for (let sent = 0; sent < LOCKING; sent++) await countAttempt(deps, { email, ...pick(at()) }, Date.now());
  }
  const pick = ({ address }: MemberRequest) => ({ address });

  /** Token of a link that resets the password of a login. */
  async function newResetToken({ email }: Login): Promise<string> {
    const [link] = await createResetLinks(deps, email, at());
    if (link === undefined) throw new Error('the login is no member');
    return link.token;
  }

  /** An email for which no further reset can be requested. */
  async function newLimitedEmail(): Promise<string> {
    const email = newEmail();
    for (let sent = 0; sent < LIMITING; sent++) await countReset(deps, { email, ...pick(at()) }, Date.now());
    return email;
  }

  /** A fresh session whose codes and passwords are locked. */
  async function newLockedSession(login: Login): Promise<string> {
    const { token } = await newFactorSession(login);
    const { userId } = await holderOf(token);
    const lockedUntil = new Date(Date.now() + FRESH_MS);
    await store.db.update(memberFactors).set({ lockedUntil }).where(eq(memberFactors.userId, userId));
    await lock(login.email);
    await lock(`enrolment of ${userId}`);
    return token;
  }

  async function newEndedSession(login: Login): Promise<string> {
    const token = await newSession(login);
    await signOut(deps, await holderOf(token), at());
    return token;
  }

  return {
    store,
    installationKey,
    accountIdOf,
    newEmail,
    newSetupToken,
    newOwner,
    newInvitation,
    newMember,
    newSession,
    holderOf,
    setFresh,
    beginFactor,
    newFactorSession,
    lock,
    newLockedSession,
    newEndedSession,
    newResetToken,
    newLimitedEmail,
    unknownSession: () => createKeyText('ks_ses_'),
    close: () => store.close(),
  };
}

export type TestMembers = Awaited<ReturnType<typeof openMembers>>;
