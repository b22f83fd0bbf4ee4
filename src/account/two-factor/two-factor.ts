import { randomBytes } from 'node:crypto';
import { eq, sql } from '../../store/drizzle.ts';
import { twoFactors } from '../../store/access-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { createSelection } from '../../store/select-rows.ts';
import { createStatement, type Executes } from '../../store/statement.ts';
import { ServiceError, serviceError } from '../../service-error.ts';
import type { InstallationKey } from '../installation-key.ts';
import { openSecret, sealSecret } from './sealed-secret.ts';
import { findStep, SECRET_BYTES, type ShownSecret, showSecret } from './totp.ts';

export type TwoFactorPlaces = { readonly store: Store; readonly installationKey: InstallationKey };

/** What a code is. */
export type TwoFactorFinding =
  | { readonly kind: 'ok' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'locked'; readonly retryAtMs: number }
  | { readonly kind: 'notEnrolled' };

const MAX_FAILURES = 5;
const LOCK_MS = 15 * 60_000;

/**
 * Gives an account a second factor. The secret is in the answer, and nowhere else but sealed.
 * @param account the account's name, which authenticator apps show.
 * @throws ServiceError `twoFactorEnrolled` when it has one.
 */
export async function enrolTwoFactor(
  { store, installationKey }: TwoFactorPlaces,
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
  if (made.length === 0) throw serviceError('twoFactorEnrolled', { account });
  const shown = showSecret(secret, account);
  secret.fill(0);
  return shown;
}

/** Whether an account has a second factor with this secret (base-32). */
export async function hasTwoFactor(
  { store, installationKey }: TwoFactorPlaces,
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

/** Takes the second factor from an account, with its failures and its lock. @throws ServiceError `twoFactorNotEnrolled`. */
export async function removeTwoFactor(store: Pick<Store, 'db'>, accountId: string): Promise<void> {
  const gone = await store.db.delete(twoFactors).where(eq(twoFactors.accountId, accountId)).returning();
  if (gone.length === 0) throw serviceError('twoFactorNotEnrolled');
}

/** The second factor of an account, as it was read. */
export type SecondFactor = typeof twoFactors.$inferSelect;

/** The second factor of an account, if it has one. */
export async function readTwoFactor(db: Executes, accountId: string): Promise<SecondFactor | undefined> {
  const [row] = await selectOwn(db, { accountId });
  return row;
}

/**
 * Checks a code (RFC 6238: the step of now, one before, one after). A code works once: neither it nor an earlier one is taken
 * again. The fifth wrong code in a row locks the second factor for 15 minutes, in which no code is looked at. What is found is stored
 * before this resolves.
 *
 * @param seen the second factor of the account as `readTwoFactor` just gave it.
 * @throws ServiceError `installationKeyWrong`.
 */
export async function checkTwoFactor(
  { store, installationKey }: TwoFactorPlaces,
  { accountId, code, nowMs }: { readonly accountId: string; readonly code: string; readonly nowMs: number },
  seen: SecondFactor | undefined,
): Promise<TwoFactorFinding> {
  for (let row = seen; row !== undefined; row = await readTwoFactor(store.db, accountId)) {
    const lockedUntilMs = row.lockedUntil?.getTime() ?? 0;
    if (lockedUntilMs > nowMs) return { kind: 'locked', retryAtMs: lockedUntilMs };
    const step = findStep(openSecret(installationKey, accountId, row.sealedSecret), code, nowMs);
    const isGood = step !== undefined && step > (row.lastStep ?? 0);
    const next = isGood ? { lastStep: step, failures: 0, lockedUntil: null } : withFailure(row, nowMs);
    // Where it is another one by now, whoever changed it has used a code or counted a failure: it is looked at anew.
    if (await replaceState(store.db, row, next)) return { kind: isGood ? 'ok' : 'invalid' };
  }
  return { kind: 'notEnrolled' };
}

type State = Pick<SecondFactor, 'lastStep' | 'failures' | 'lockedUntil'>;

const selectOwn = createSelection<typeof twoFactors, { readonly accountId: string }>(
  twoFactors,
  (place) => sql`account_id = ${place('accountId')}`,
);

const replace = createStatement<
  Record<'before' | 'after', string> & Pick<SecondFactor, 'accountId' | 'sealedSecret'>
>(
  (place) => sql`
    update two_factors t set last_step = after.last_step, failures = after.failures, locked_until = after.locked_until
    from json_to_record(${place('before')}::json) as before (last_step int, failures int, locked_until timestamptz),
      json_to_record(${place('after')}::json) as after (last_step int, failures int, locked_until timestamptz)
    where t.account_id = ${place('accountId')} and t.sealed_secret = ${place('sealedSecret')}
      and (t.last_step, t.failures, t.locked_until) is not distinct from (before.last_step, before.failures, before.locked_until)`,
);

/** Whether the state was still the one that was read, and is the next one now. */
async function replaceState(db: Store['db'], row: SecondFactor, next: State): Promise<boolean> {
  const { accountId, sealedSecret } = row;
  const states = { before: printState(row), after: printState(next) };
  const { rowCount } = await replace(db, { accountId, sealedSecret: Buffer.from(sealedSecret), ...states });
  return rowCount === 1;
}

function printState({ lastStep, failures, lockedUntil }: State): string {
  return JSON.stringify({ last_step: lastStep, failures, locked_until: lockedUntil });
}

function withFailure({ lastStep, failures }: State, nowMs: number): State {
  const isLast = failures + 1 >= MAX_FAILURES;
  const lockedUntil = isLast ? new Date(nowMs + LOCK_MS) : null;
  return { lastStep, failures: isLast ? 0 : failures + 1, lockedUntil };
}
