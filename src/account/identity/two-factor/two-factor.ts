import { randomBytes } from 'node:crypto';
import { eq } from '../../../store/drizzle.ts';
import { twoFactors } from '../../../store/access-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import type { Executes } from '../../../store/statement.ts';
import { ServiceError, serviceError } from '../../../core/service-error.ts';
import {
  checkCode,
  type CodeAttempt,
  createFactorTable,
  type TwoFactorDeps,
  type TwoFactorFinding,
  SECRET_BYTES,
  type ShownSecret,
  showSecret,
} from './check-code.ts';
import { openSecret, sealSecret } from './sealed-secret.ts';

export type { TwoFactorDeps, TwoFactorFinding } from './check-code.ts';

/** A code, its sender and its time. */
export type TwoFactorAttempt = CodeAttempt & { readonly accountId: string };

/**
 * Enrols an account in two-factor authentication. The secret is in the answer; only a sealed copy is stored.
 * @param account the account's name, which authenticator apps show.
 * @throws ServiceError `twoFactorAlreadyEnrolled` when it has one.
 */
export async function enrolTwoFactor(
  { store, installationKey }: TwoFactorDeps,
  { accountId, account }: { readonly accountId: string; readonly account: string },
  nowMs: number,
): Promise<ShownSecret> {
  const secret = randomBytes(SECRET_BYTES);
  const sealedSecret = sealSecret(installationKey, accountId, secret);
  const made = await store.db
    .insert(twoFactors)
    .values({ accountId, sealedSecret, enrolledAt: new Date(nowMs) })
    .onConflictDoNothing()
    .returning({ accountId: twoFactors.accountId });
  if (made.length === 0) throw serviceError('twoFactorAlreadyEnrolled', { account });
  const shown = showSecret(secret, account);
  secret.fill(0);
  return shown;
}

/** True when an account has a second factor with this secret (base-32). */
export async function hasTwoFactor(
  { store, installationKey }: TwoFactorDeps,
  accountId: string,
  secret: string,
): Promise<boolean> {
  const [row] = await store.db.select().from(twoFactors).where(eq(twoFactors.accountId, accountId));
  if (row === undefined) return false;
  try {
    return showSecret(openSecret(installationKey, accountId, row.sealedSecret), '').secret === secret;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** Removes the second factor of an account, with its failures and its lock. @throws ServiceError `twoFactorNotEnrolled`. */
export async function removeTwoFactor(store: Pick<Store, 'db'>, accountId: string): Promise<void> {
  const gone = await store.db.delete(twoFactors).where(eq(twoFactors.accountId, accountId)).returning();
  if (gone.length === 0) throw serviceError('twoFactorNotEnrolled');
}

/**
 * Lifts every lock of an account's second factor, and deletes the wrong codes that led to them.
 * @throws ServiceError `twoFactorNotEnrolled`.
 */
export async function unlockTwoFactor(store: Pick<Store, 'db'>, accountId: string): Promise<void> {
  const lifted = await store.db
    .update(twoFactors)
    .set({ failures: 0, failingSince: null, lockedUntil: null, guesses: '{}' })
    .where(eq(twoFactors.accountId, accountId))
    .returning({ accountId: twoFactors.accountId });
  if (lifted.length === 0) throw serviceError('twoFactorNotEnrolled');
}

/** The second factor of an account, as it was read. */
export type SecondFactor = typeof twoFactors.$inferSelect;

const FACTORS = createFactorTable(twoFactors, 'account_id');

/** The second factor of an account, if it has one. */
export function readTwoFactor(db: Executes, accountId: string): Promise<SecondFactor | undefined> {
  return FACTORS.read(db, accountId);
}

/** Checks a code of an account: see `checkCode`. @param seen as `readTwoFactor` just returned it. @throws ServiceError `installationKeyWrong`. */
export function checkTwoFactor(
  deps: TwoFactorDeps,
  { accountId, ...attempt }: TwoFactorAttempt,
  seen: SecondFactor | undefined,
): Promise<TwoFactorFinding> {
  return checkCode(deps, FACTORS, { ...attempt, ownerId: accountId }, seen);
}
