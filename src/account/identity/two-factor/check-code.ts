import type { PgTable } from 'drizzle-orm/pg-core';
import { TOTP, Secret } from 'otpauth';
import { sql } from '../../../store/drizzle.ts';
import type { Store } from '../../../store/open-store.ts';
import { createSelection } from '../../../store/select-rows.ts';
import { createStatement, type Executes } from '../../../store/statement.ts';
import type { InstallationKey } from '../../sealing/installation-key.ts';
import { openSecret } from './sealed-secret.ts';

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

/** When the lock of a guesser ends; in the past if nothing is locked. */
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
    lastStep,
    failures,
    guesses: printGuesses(by),
    failingSince: sinceMs === 0 ? null : new Date(sinceMs),
    lockedUntil: until === 0 ? null : new Date(until),
  };
}

// Wrong codes are counted three ways, because each way alone is either no lock or a way to lock someone else out. A token at one address
// is locked first, then the token wherever it is used, and only then the account: by three tokens at least.

/** The sender of a code. */
type Guesser = {
  readonly tokenId: string;
  /** Address of the sender; undefined if unknown. */
  readonly address?: string | undefined;
};

/** Wrong codes since an instant, and when the lock ends; Unix time. */
type Count = { readonly failures: number; readonly sinceMs: number; readonly lockedUntilMs: number };

/** The counts of an account: its own, and by token and address. */
type Guesses = { readonly account: Count; readonly by: Readonly<Record<string, Count>> };

const WINDOW_MS = 15 * 60_000;
const LOCK_MS = 15 * 60_000;
const MOST = { pair: 5, token: 10, account: 30 } as const;

const NONE: Count = { failures: 0, sinceMs: 0, lockedUntilMs: 0 };

/** Returns when the lock of a guesser ends; in the past if nothing is locked. */
function lockedUntilMs({ account, by }: Guesses, guesser: Guesser): number {
  const own = keysOf(guesser).map((key) => by[key]?.lockedUntilMs ?? 0);
  return Math.max(account.lockedUntilMs, ...own);
}

/** Returns the counts with one more wrong code. Expired counts are dropped. */
function withWrongCode({ account, by }: Guesses, guesser: Guesser, nowMs: number): Guesses {
  const [pair, token] = keysOf(guesser);
  const kept = Object.entries(by).filter(([, count]) => !isOver(count, nowMs));
  return {
    account: withFailure(account, MOST.account, nowMs),
    by: {
      ...Object.fromEntries(kept),
      [pair]: withFailure(by[pair], MOST.pair, nowMs),
      [token]: withFailure(by[token], MOST.token, nowMs),
    },
  };
}

/** Returns the counts after a correct code: those of its guesser and of the account are dropped, locks of others stay. */
function withGoodCode({ by }: Guesses, guesser: Guesser): Guesses {
  const own: readonly string[] = keysOf(guesser);
  return { account: NONE, by: Object.fromEntries(Object.entries(by).filter(([key]) => !own.includes(key))) };
}

/** The stored form of the counts by token and address: key to failures, since when, locked until when. */
function printGuesses(by: Guesses['by']): string {
  const rows = Object.entries(by).map(([key, count]) => [
    key,
    [count.failures, count.sinceMs, count.lockedUntilMs],
  ]);
  return JSON.stringify(Object.fromEntries(rows));
}

/** Parses the output of `printGuesses`. */
function parseGuesses(text: string): Guesses['by'] {
  const rows = JSON.parse(text) as Readonly<Record<string, readonly [number, number, number]>>;
  return Object.fromEntries(
    Object.entries(rows).map(([key, [failures, sinceMs, until]]) => [
      key,
      { failures, sinceMs, lockedUntilMs: until },
    ]),
  );
}

function keysOf({ tokenId, address = '?' }: Guesser): readonly [pair: string, token: string] {
  return [`${tokenId}@${address}`, tokenId];
}

function withFailure(count: Count = NONE, most: number, nowMs: number): Count {
  const isNew = count.failures === 0 || isOver(count, nowMs);
  const failures = isNew ? 1 : count.failures + 1;
  const sinceMs = isNew ? nowMs : count.sinceMs;
  return failures < most
    ? { failures, sinceMs, lockedUntilMs: 0 }
    : { failures: 0, sinceMs, lockedUntilMs: nowMs + LOCK_MS };
}

function isOver({ sinceMs, lockedUntilMs: until }: Count, nowMs: number): boolean {
  return sinceMs + WINDOW_MS <= nowMs && until <= nowMs;
}

// Time-based one-time passwords (RFC 6238) as every authenticator app supports them: SHA-1, 30 seconds, 6 digits.

const PERIOD_SECONDS = 30;
const OPTIONS = { issuer: 'Keyslot', algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS } as const;
const CODE = /^[0-9]{6}$/;

/** Size of a secret in bytes: that of SHA-1, as RFC 4226 section 4 recommends. */
export const SECRET_BYTES = 20;

/** A secret as users enter it in an app: as a URI (often shown as a QR code), or typed in as base-32. */
export type ShownSecret = { readonly uri: string; readonly secret: string };

/** Returns the printable forms of a secret. */
export function showSecret(secret: Uint8Array, label: string): ShownSecret {
  const totp = new TOTP({ ...OPTIONS, label, secret: holdSecret(secret) });
  return { uri: totp.toString(), secret: totp.secret.base32 };
}

/** A code without the spaces and dashes that apps show it with: `123 456`. */
export function plainCode(code: string): string {
  return code.replaceAll(/[\s\p{Pd}]/gu, '');
}

/**
 * Returns the time step that a code belongs to, with or without spaces and dashes: the current, the previous or the next one;
 * undefined if it belongs to none. Codes
 * are compared in constant time.
 */
export function findStep(secret: Uint8Array, code: string, nowMs: number): number | undefined {
  const token = plainCode(code);
  if (!CODE.test(token)) return undefined;
  const delta = TOTP.validate({
    ...OPTIONS,
    secret: holdSecret(secret),
    token,
    timestamp: nowMs,
    window: 1,
  });
  return delta === null ? undefined : TOTP.counter({ period: PERIOD_SECONDS, timestamp: nowMs }) + delta;
}

/** True when this was the code of a step. */
function isCodeOfStep(secret: Uint8Array, code: string, step: number): boolean {
  return findStep(secret, code, step * PERIOD_SECONDS * 1_000) !== undefined;
}

function holdSecret(secret: Uint8Array): Secret {
  return new Secret({ buffer: Uint8Array.from(secret).buffer });
}
