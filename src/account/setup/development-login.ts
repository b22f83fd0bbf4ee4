import { randomBytes, randomUUID } from 'node:crypto';
import { and, eq, inArray, isNull } from '../../store/drizzle.ts';
import {
  loginCredentials,
  loginSessions,
  logins,
  memberInvitations,
  members,
  setupLinks,
} from '../../store/member-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { DEVELOPMENT } from '../accounts/account-name.ts';
import { clearLogin } from '../identity/members/logins.ts';
import { insertLogin } from '../identity/members/check-password.ts';
import { createPasswordHash, type ScryptCost } from '../identity/members/hash-password.ts';

/** The login of the development account: the members of `dev.json` with these names. */
export type DevelopmentLogin = {
  readonly dashboard_email: string;
  /** Absent if the password was replaced in the dashboard: the server does not know it then. */
  readonly dashboard_password?: string;
};

/** No email reaches it: names below `localhost` are this machine (RFC 6761). */
export const DEVELOPMENT_EMAIL = 'developer@keyslot.localhost';

/** Low, because the password is random and cannot be guessed: it keeps the start short, and marks the password as the server's own. */
const COST: ScryptCost = { n: 2 ** 10, r: 8, p: 1 };
const OWN_HASH = `scrypt$${COST.n}$${COST.r}$${COST.p}$`;
const PASSWORD_BYTES = 24;

type Deps = { readonly store: Pick<Store, 'db' | 'transaction'> };

/**
 * Ensures a login that is an owner of the development account, without a second factor unless one was enrolled. A password in `kept` from
 * an earlier start is kept if it still works; a lost one is replaced, and one that was changed in the dashboard is left alone.
 *
 * @param kept contents of `dev.json`, which may be anything.
 */
export async function ensureDevelopmentLogin(
  { store }: Deps,
  accountId: string,
  kept: Partial<DevelopmentLogin>,
  nowMs: number,
): Promise<DevelopmentLogin> {
  const passwords = createPasswordHash(COST);
  const known = await findLogin(store, accountId);
  if (known?.isOwner === true) {
    const { hash } = known;
    if (hash === null || !hash.startsWith(OWN_HASH)) return { dashboard_email: DEVELOPMENT_EMAIL };
    const { dashboard_password: password } = kept;
    const isKept =
      password !== undefined && (await passwords.compare({ password, hashes: [hash] })).equal.size > 0;
    if (isKept) return { dashboard_email: DEVELOPMENT_EMAIL, dashboard_password: password };
  }
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const hash = await passwords.hash(password);
  await store.transaction(async (tx) => {
    const userId = await replaceLogin(tx, known?.userId, hash, nowMs);
    await tx
      .insert(members)
      .values({ id: randomUUID(), accountId, userId, role: 'owner', createdAt: new Date(nowMs) })
      .onConflictDoUpdate({
        target: [members.accountId, members.userId],
        targetWhere: isNull(members.removedAt),
        set: { role: 'owner' },
      });
  });
  return { dashboard_email: DEVELOPMENT_EMAIL, dashboard_password: password };
}

/**
 * Removes every member of the development account, with their sessions, invitations and set-up links; no password opens its own login any
 * more.
 */
export async function revokeDevelopmentLogin(
  { store }: Deps,
  accountId: string,
  nowMs: number,
): Promise<void> {
  const own = await findLogin(store, accountId);
  await store.transaction(async (tx) => {
    const now = new Date(nowMs);
    if (own !== undefined) await clearLogin(tx, own.userId, undefined, nowMs);
    const ofAccount = tx.select({ id: members.id }).from(members).where(eq(members.accountId, accountId));
    await tx.delete(loginSessions).where(inArray(loginSessions.memberId, ofAccount));
    await tx
      .update(members)
      .set({ removedAt: now })
      .where(and(eq(members.accountId, accountId), isNull(members.removedAt)));
    const { acceptedAt, withdrawnAt } = memberInvitations;
    await tx
      .update(memberInvitations)
      .set({ withdrawnAt: now })
      .where(and(eq(memberInvitations.accountId, accountId), isNull(acceptedAt), isNull(withdrawnAt)));
    await tx.delete(setupLinks).where(and(eq(setupLinks.accountId, accountId), isNull(setupLinks.usedAt)));
  });
}

async function findLogin({ db }: Pick<Store, 'db'>, accountId: string) {
  const isMember = and(
    ...[eq(members.userId, logins.id), eq(members.accountId, accountId), isNull(members.removedAt)],
  );
  const [row] = await db
    .select({ userId: logins.id, hash: loginCredentials.password, role: members.role })
    .from(logins)
    .innerJoin(members, isMember)
    .leftJoin(loginCredentials, eq(loginCredentials.userId, logins.id))
    .where(eq(logins.email, DEVELOPMENT_EMAIL));
  return row === undefined ? undefined : { ...row, isOwner: row.role === 'owner' };
}

/** Gives the login a password, and deletes its second factor and its sessions. @returns its id. */
async function replaceLogin(
  tx: StoreTransaction,
  known: string | undefined,
  hash: string,
  nowMs: number,
): Promise<string> {
  if (known === undefined)
    return insertLogin(tx, { email: DEVELOPMENT_EMAIL, name: DEVELOPMENT, hash }, nowMs);
  await clearLogin(tx, known, hash, nowMs);
  return known;
}
