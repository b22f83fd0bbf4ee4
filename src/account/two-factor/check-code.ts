import type { PgTable } from 'drizzle-orm/pg-core';
import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { createSelection } from '../../store/select-rows.ts';
import { createStatement, type Executes } from '../../store/statement.ts';
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
import { openSecret } from './sealed-secret.ts';
import { findStep, isCodeOfStep } from './totp.ts';

export type TwoFactorDeps = { readonly store: Store; readonly installationKey: InstallationKey };

/** The result of checking a code. */
export type TwoFactorFinding =
  | { readonly kind: 'ok' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'locked'; readonly retryAtMs: number }
  | { readonly kind: 'notEnrolled' };

/** A code, its sender and its time. */
export type CodeAttempt = Guesser & { readonly code: string; readonly nowMs: number };

/** The columns of src/store/factor-state.ts. */
export type FactorRow = {
  readonly sealedSecret: Uint8Array;
  readonly lastStep: number | null;
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly lockedUntil: Date | null;
  readonly guesses: string;
  readonly enrolledAt: Date;
};

type State = Omit<FactorRow, 'sealedSecret' | 'enrolledAt'>;

/** The second factors in one table. */
export type FactorTable<R extends FactorRow> = {
  /** The second factor of an owner, if it has one. */
  readonly read: (db: Executes, ownerId: string) => Promise<R | undefined>;
  /** Replaces the state if it is still the one that was read; true if it did. */
  readonly replaceState: (db: Executes, ownerId: string, row: FactorRow, next: State) => Promise<boolean>;
};

const COLUMNS =
  'last_step int, failures int, failing_since timestamptz, locked_until timestamptz, guesses text';

/** Returns access to a table of second factors by their owner. @param owner the column that names it. */
export function createFactorTable<T extends PgTable & { readonly $inferSelect: FactorRow }>(
  table: T,
  owner: string,
): FactorTable<T['$inferSelect']> {
  const ownerColumn = sql.identifier(owner);
  const select = createSelection<T, { readonly ownerId: string }>(
    table,
    (param) => sql`${ownerColumn} = ${param('ownerId')}`,
  );
  const replace = createStatement<
    Record<'before' | 'after' | 'ownerId', string> & { readonly sealedSecret: Buffer }
  >(
    (param) => sql`
      update ${table} t set last_step = after.last_step, failures = after.failures, failing_since = after.failing_since,
        locked_until = after.locked_until, guesses = after.guesses
      from json_to_record(${param('before')}::json) as before (${sql.raw(COLUMNS)}),
        json_to_record(${param('after')}::json) as after (${sql.raw(COLUMNS)})
      where t.${ownerColumn} = ${param('ownerId')} and t.sealed_secret = ${param('sealedSecret')}
        and (t.last_step, t.failures, t.failing_since, t.locked_until, t.guesses)
          is not distinct from (before.last_step, before.failures, before.failing_since, before.locked_until, before.guesses)`,
  );
  return {
    read: async (db, ownerId) => (await select(db, { ownerId }))[0],
    replaceState: async (db, ownerId, row, next) => {
      const states = { before: printState(row), after: printState(next) };
      const sealedSecret = Buffer.from(row.sealedSecret);
      return (await replace(db, { ownerId, sealedSecret, ...states })).rowCount === 1;
    },
  };
}

/** When the lock of a guesser ends; in the past if there is none. */
export function lockOf(row: FactorRow, guesser: Guesser): number {
  return lockedUntilMs(guessesOf(row), guesser);
}

/**
 * Checks a code (RFC 6238: the current step, one before, one after). A code works once: neither it nor an earlier one is accepted again.
 * Sending a used code again is refused and does not count as a guess. The fifth wrong code of a token at one address within 15 minutes
 * locks them for 15 minutes, in which none of their codes is checked; the tenth of a token locks it, the thirtieth of an owner the
 * owner. The result is stored before this resolves.
 *
 * @param seen the second factor of the owner as `read` just returned it.
 * @throws ServiceError `installationKeyWrong`.
 */
export async function checkCode<R extends FactorRow>(
  { store, installationKey }: TwoFactorDeps,
  factors: FactorTable<R>,
  { ownerId, ...attempt }: CodeAttempt & { readonly ownerId: string },
  seen: FactorRow | undefined,
): Promise<TwoFactorFinding> {
  const { code, nowMs } = attempt;
  for (let row = seen; row !== undefined; row = await factors.read(store.db, ownerId)) {
    const guesses = guessesOf(row);
    const retryAtMs = lockedUntilMs(guesses, attempt);
    if (retryAtMs > nowMs) return { kind: 'locked', retryAtMs };
    const secret = openSecret(installationKey, ownerId, row.sealedSecret);
    const step = findStep(secret, code, nowMs);
    const { lastStep } = row;
    const isGood = step !== undefined && step > (lastStep ?? 0);
    if (!isGood && lastStep !== null && (step !== undefined || isCodeOfStep(secret, code, lastStep)))
      return { kind: 'invalid' };
    const next = isGood
      ? stateOf(step, withGoodCode(guesses, attempt))
      : stateOf(lastStep, withWrongCode(guesses, attempt, nowMs));
    // If the state has changed, another request has used a code or counted a failure: check again.
    if (await factors.replaceState(store.db, ownerId, row, next)) return { kind: isGood ? 'ok' : 'invalid' };
  }
  return { kind: 'notEnrolled' };
}

function printState({ lastStep, failures, failingSince, lockedUntil, guesses }: State): string {
  const instants = { failing_since: failingSince, locked_until: lockedUntil };
  return JSON.stringify({ last_step: lastStep, failures, ...instants, guesses });
}

function guessesOf({ failures, failingSince, lockedUntil, guesses }: FactorRow): Guesses {
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
