import { randomBytes, randomUUID } from 'node:crypto';
import { and, eq, isNull } from '../store/drizzle.ts';
import { loginCredentials, loginSessions, logins, members } from '../store/member-tables.ts';
import type { Store } from '../store/open-store.ts';
import { DEVELOPMENT } from './development-name.ts';
import { insertLogin } from './members/check-password.ts';
import { clearLogin } from './members/ensure-login.ts';
import { createPasswordHash } from './members/hash-password.ts';

/** Sign-in of the owner of the development account: the members of `dev.json` with these names. */
export type DevelopmentMember = {
  readonly dashboard_email: string;
  readonly dashboard_password: string;
};

type StoreOnly = { readonly store: Pick<Store, 'db' | 'transaction'> };

const EMAIL = 'owner@development.example';
const PASSWORD_BYTES = 24;
/** As good as any other for a password of 192 random bits, and costs a start nothing. */
const COST = { n: 2 ** 8, r: 8, p: 1 };

/**
 * Ensures an owner. A password in `kept` from an earlier start is kept if it still works; otherwise it is replaced, and the owner's second
 * factor and sessions are removed.
 *
 * @param kept contents of `dev.json`, which may be anything.
 */
export async function ensureDevelopmentMember(
  { store }: StoreOnly,
  accountId: string,
  { dashboard_password: kept }: Partial<DevelopmentMember>,
  nowMs: number,
): Promise<DevelopmentMember> {
  if (kept !== undefined && (await isPasswordOfOwner(store, accountId, kept)))
    return { dashboard_email: EMAIL, dashboard_password: kept };
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const hash = await createPasswordHash(COST).hash(password);
  await store.transaction(async (tx) => {
    const added = await insertLogin(tx, { email: EMAIL, name: DEVELOPMENT, hash }, nowMs);
    const [known] = await tx.select({ id: logins.id }).from(logins).where(eq(logins.email, EMAIL));
    const userId = added ?? known?.id;
    if (userId === undefined) throw new Error('the login of the development account was not added');
    if (added === undefined) await clearLogin(tx, userId, hash, nowMs);
    await tx
      .insert(members)
      .values({ id: randomUUID(), accountId, userId, role: 'owner', createdAt: new Date(nowMs) })
      .onConflictDoUpdate({
        target: [members.accountId, members.userId],
        targetWhere: isNull(members.removedAt),
        set: { role: 'owner' },
      });
  });
  return { dashboard_email: EMAIL, dashboard_password: password };
}

/** Removes every member of the development account, with their sessions. */
export async function removeDevelopmentMembers(
  { store }: StoreOnly,
  accountId: string,
  nowMs: number,
): Promise<void> {
  await store.transaction(async (tx) => {
    const removed = await tx
      .update(members)
      .set({ removedAt: new Date(nowMs) })
      .where(and(eq(members.accountId, accountId), isNull(members.removedAt)))
      .returning({ id: members.id });
    for (const { id } of removed) await tx.delete(loginSessions).where(eq(loginSessions.memberId, id));
  });
}

async function isPasswordOfOwner({ db }: Pick<Store, 'db'>, accountId: string, password: string) {
  const [owner] = await db
    .select({ hash: loginCredentials.password })
    .from(loginCredentials)
    .innerJoin(logins, eq(logins.id, loginCredentials.userId))
    .innerJoin(members, eq(members.userId, logins.id))
    .where(
      and(
        ...[eq(logins.email, EMAIL), eq(members.accountId, accountId), eq(members.role, 'owner')],
        isNull(members.removedAt),
      ),
    );
  const hash = owner?.hash ?? undefined;
  return hash !== undefined && createPasswordHash().verify({ password, hash });
}
