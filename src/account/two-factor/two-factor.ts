import { randomBytes } from 'node:crypto';
import { eq, sql } from '../../store/drizzle.ts';
import { twoFactors } from '../../store/access-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { createSelection } from '../../store/select-rows.ts';
import { createStatement, type Executes } from '../../store/statement.ts';
import { ServiceError, serviceError } from '../../base/service-error.ts';
import type { InstallationKey } from '../installation-key.ts';
import {
  type Guesser,
  type Guesses,
  lockedUntilMs,
  parseGuesses,
  printGuesses,
  withGoodCode,
  withWrongCode,
} from './guesses.ts';
import { openSecret, sealSecret } from './sealed-secret.ts';
import { findStep, isCodeOfStep, SECRET_BYTES, type ShownSecret, showSecret } from './totp.ts';

export type TwoFactorDeps = { readonly store: Store; readonly installationKey: InstallationKey };

/** The result of checking a code. */
export type TwoFactorFinding =
  | { readonly kind: 'ok' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'locked'; readonly retryAtMs: number }
  | { readonly kind: 'notEnrolled' };

/** A code, its sender and its time. */
export type TwoFactorAttempt = Guesser & {
  readonly accountId: string;
  readonly code: string;
  readonly nowMs: number;
};

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

/** The second factor of an account, if it has one. */
export async function readTwoFactor(db: Executes, accountId: string): Promise<SecondFactor | undefined> {
  const [row] = await selectOwn(db, { accountId });
  return row;
}

/**
 * Checks a code (RFC 6238: the current step, one before, one after). A code works once: neither it nor an earlier one is accepted again.
 * Sending a used code again is refused and does not count as a guess. The fifth wrong code of a token at one address within 15 minutes
 * locks them for 15 minutes, in which none of their codes is checked; the tenth of a token locks it, the thirtieth of an account the
 * account. The result is stored before this resolves.
 *
 * @param seen the second factor of the account as `readTwoFactor` just returned it.
 * @throws ServiceError `installationKeyWrong`.
 */
export async function checkTwoFactor(
  { store, installationKey }: TwoFactorDeps,
  attempt: TwoFactorAttempt,
  seen: SecondFactor | undefined,
): Promise<TwoFactorFinding> {
  const { accountId, code, nowMs } = attempt;
  for (let row = seen; row !== undefined; row = await readTwoFactor(store.db, accountId)) {
    const guesses = guessesOf(row);
    const retryAtMs = lockedUntilMs(guesses, attempt);
    if (retryAtMs > nowMs) return { kind: 'locked', retryAtMs };
    const secret = openSecret(installationKey, accountId, row.sealedSecret);
    const step = findStep(secret, code, nowMs);
    const { lastStep } = row;
    const isGood = step !== undefined && step > (lastStep ?? 0);
    if (!isGood && lastStep !== null && (step !== undefined || isCodeOfStep(secret, code, lastStep)))
      return { kind: 'invalid' };
    const next = isGood
      ? stateOf(step, withGoodCode(guesses, attempt))
      : stateOf(lastStep, withWrongCode(guesses, attempt, nowMs));
    // If the state has changed, another request has used a code or counted a failure: check again.
    if (await replaceState(store.db, row, next)) return { kind: isGood ? 'ok' : 'invalid' };
  }
  return { kind: 'notEnrolled' };
}

type State = Pick<SecondFactor, 'lastStep' | 'failures' | 'failingSince' | 'lockedUntil' | 'guesses'>;

const selectOwn = createSelection<typeof twoFactors, { readonly accountId: string }>(
  twoFactors,
  (param) => sql`account_id = ${param('accountId')}`,
);

const COLUMNS =
  'last_step int, failures int, failing_since timestamptz, locked_until timestamptz, guesses text';

const replace = createStatement<
  Record<'before' | 'after', string> & Pick<SecondFactor, 'accountId' | 'sealedSecret'>
>(
  (param) => sql`
    update two_factors t set last_step = after.last_step, failures = after.failures, failing_since = after.failing_since,
      locked_until = after.locked_until, guesses = after.guesses
    from json_to_record(${param('before')}::json) as before (${sql.raw(COLUMNS)}),
      json_to_record(${param('after')}::json) as after (${sql.raw(COLUMNS)})
    where t.account_id = ${param('accountId')} and t.sealed_secret = ${param('sealedSecret')}
      and (t.last_step, t.failures, t.failing_since, t.locked_until, t.guesses)
        is not distinct from (before.last_step, before.failures, before.failing_since, before.locked_until, before.guesses)`,
);

/** Replaces the state if it is still the one that was read; true if it did. */
async function replaceState(db: Store['db'], row: SecondFactor, next: State): Promise<boolean> {
  const { accountId, sealedSecret } = row;
  const states = { before: printState(row), after: printState(next) };
  const { rowCount } = await replace(db, { accountId, sealedSecret: Buffer.from(sealedSecret), ...states });
  return rowCount === 1;
}

function printState({ lastStep, failures, failingSince, lockedUntil, guesses }: State): string {
  const instants = { failing_since: failingSince, locked_until: lockedUntil };
  return JSON.stringify({ last_step: lastStep, failures, ...instants, guesses });
}

function guessesOf({ failures, failingSince, lockedUntil, guesses }: SecondFactor): Guesses {
  const account = {
    failures,
    sinceMs: failingSince?.getTime() ?? 0,
    lockedUntilMs: lockedUntil?.getTime() ?? 0,
  };
  return { account, by: parseGuesses(guesses) };
}

function stateOf(lastStep: number | null, { account, by }: Guesses): State {
  const { failures, sinceMs, lockedUntilMs: until } = account;
  return {
    ...{ lastStep, failures, guesses: printGuesses(by) },
    failingSince: sinceMs === 0 ? null : new Date(sinceMs),
    lockedUntil: until === 0 ? null : new Date(until),
  };
}
