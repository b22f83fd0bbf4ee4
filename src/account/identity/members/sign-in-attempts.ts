import { createHmac } from 'node:crypto';
import { serviceError } from '../../../core/service-error.ts';
import { sql } from '../../../store/drizzle.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import type { MemberDeps } from './member-deps.ts';

// As src/account/identity/two-factor/check-code.ts does for codes: an email at one address is locked first, then the address, and only then the email
// wherever it is used. An attempt counts before its password is checked, so that attempts at the same time cannot pass together.

/** The sender of a password. */
export type Attempt = {
  readonly email: string;
  readonly address?: string | undefined;
  /** The sender is known at this address (see `countSender`): attempts from elsewhere do not lock it here. */
  readonly isKnown?: boolean;
  /** The sender used an emailed link at this address: attempts for other emails do not lock it here either. */
  readonly isByLink?: boolean;
};

type AttemptDeps = Pick<MemberDeps, 'store' | 'installationKey'>;

const WINDOW_MS = 15 * 60_000;
const LOCK_MS = 15 * 60_000;
/** Locks of senders whose address cannot be read: short, because they are locked with whoever guesses. All share one count, and one for each email. */
const SHORT_LOCKS_MS: { readonly [S in keyof typeof MOST]?: number } = { unknown: 2_000, nowhere: 30_000 };
const MOST = { pair: 5, address: 30, email: 50, unknown: 5, nowhere: 5 } as const;
/** Each is an email. Those of a day are counted too: above them, the email gets none for half a day. */
const MOST_RESETS = { pair: 3, address: 20, email: 5, day: 20, unknown: 5, nowhere: 3 } as const;
const DAY_MS = 24 * 60 * 60_000;
const DAY_LOCK_MS = DAY_MS / 2;
const PURGED_AT_ONCE = 100;

type Counted = { readonly failures: number; readonly most: number; readonly locked_until_ms: string | null };

/**
 * Counts an attempt as failed until `takeBackAttempt`. The counts are in the store, for all servers.
 * @throws ServiceError `signInLocked`; the attempt is not counted then.
 */
export async function countAttempt(deps: AttemptDeps, attempt: Attempt, nowMs: number): Promise<void> {
  const untilMs = await count(deps, countedSubjects(deps, attempt), nowMs);
  if (untilMs !== undefined) throw lockedSignIn(untilMs, nowMs);
}

/**
 * Counts a request for a link that resets a password, whatever its result.
 * @throws ServiceError `passwordResetLimited`; the request is not counted then.
 */
export async function countReset(deps: AttemptDeps, attempt: Attempt, nowMs: number): Promise<void> {
  const untilMs = await count(deps, countedSubjects(deps, attempt, 'reset'), nowMs);
  if (untilMs !== undefined)
    throw serviceError('passwordResetLimited', { retryAfterSeconds: secondsUntil(untilMs, nowMs) });
}

/** @returns the end of the lock; undefined if the attempt was counted. */
async function count(
  deps: AttemptDeps,
  subjects: readonly Subject[],
  nowMs: number,
): Promise<number | undefined> {
  const now = sql`${new Date(nowMs).toISOString()}::timestamptz`;
  const oldest = sql`${new Date(nowMs - WINDOW_MS).toISOString()}::timestamptz`;
  const json = JSON.stringify(
    subjects.map(({ of, subject, most }) => {
      const isOfDay = of === 'day';
      const lockMs = isOfDay ? DAY_LOCK_MS : (SHORT_LOCKS_MS[of] ?? LOCK_MS);
      // A count whose beginning is in the future lasts for longer.
      const sinceMs = nowMs + (isOfDay ? DAY_MS - WINDOW_MS : 0);
      const [lock_end, since] = [nowMs + lockMs, sinceMs].map((ms) => new Date(ms).toISOString());
      return { subject: subject.toString('hex'), most, lock_end, since };
    }),
  );
  const { rows } = await deps.store.db.execute<Counted>(sql`
    with mine as (
      select decode(subject, 'hex') as subject, most, lock_end, since
      from json_to_recordset(${json}::json) as given (subject text, most int, lock_end timestamptz, since timestamptz)
    ), purged as (
      delete from sign_in_attempts where subject in (
        select subject from sign_in_attempts
        where since < ${oldest} and coalesce(locked_until, since) < ${now} and subject not in (select subject from mine)
        limit ${PURGED_AT_ONCE} for update skip locked)
    ), counted as (
      insert into sign_in_attempts as known (subject, failures, since)
      select subject, 1, since from mine
      where not exists (
        select from sign_in_attempts other where other.subject in (select subject from mine) and other.locked_until > ${now})
      order by subject
      on conflict (subject) do update set
        failures = case when known.locked_until is null and known.since > ${oldest} then known.failures + 1
          when known.locked_until > ${now} then known.failures + 1 else 1 end,
        since = case when known.locked_until > ${now} or (known.locked_until is null and known.since > ${oldest})
          then known.since else excluded.since end,
        locked_until = case when known.locked_until > ${now} then known.locked_until
          when known.locked_until is null and known.since > ${oldest}
            then (select lock_end from mine where mine.subject = known.subject and known.failures + 1 >= most) end
      returning subject, failures, locked_until
    )
    select counted.failures, mine.most, (extract(epoch from counted.locked_until) * 1000)::text as locked_until_ms
    from counted join mine using (subject)`);
  const isCounted = rows.length > 0 && rows.every(({ failures, most }) => failures <= most);
  return isCounted ? undefined : readLock(deps, subjects, nowMs);
}

/**
 * Takes back an attempt that turned out right. Earlier attempts still count: several logins may have the email, and someone with the
 * password of one may be guessing at another.
 * @param db default: the store, on its own.
 */
export async function takeBackAttempt(
  deps: AttemptDeps,
  attempt: Attempt,
  db: Pick<StoreTransaction, 'execute'> = deps.store.db,
): Promise<void> {
  const json = JSON.stringify(
    countedSubjects(deps, attempt).map(({ subject, most }) => ({ subject: subject.toString('hex'), most })),
  );
  await db.execute(sql`
    with mine as (
      select decode(subject, 'hex') as subject, most from json_to_recordset(${json}::json) as given (subject text, most int)
    ), gone as (
      delete from sign_in_attempts known using mine where known.subject = mine.subject and known.failures <= 1)
    update sign_in_attempts known set failures = known.failures - 1, locked_until = null
    from mine where known.subject = mine.subject and known.failures between 2 and mine.most`);
}

/**
 * Lifts the locks of an email, everywhere and at this address, in the transaction that replaces its password by an emailed link. For 15
 * minutes, attempts from elsewhere do not lock it here again.
 */
export async function forgetEmail(
  tx: StoreTransaction,
  deps: Pick<AttemptDeps, 'installationKey'>,
  sender: Pick<Attempt, 'email' | 'address'>,
  nowMs: number,
): Promise<void> {
  const own = subjectsOf(deps, sender).filter((one) => !isShared(one));
  await tx.execute(sql`delete from sign_in_attempts where subject in (${listOf(own)})`);
  if (sender.address === undefined) return;
  const since = sql`${new Date(nowMs).toISOString()}::timestamptz`;
  await tx.execute(sql`
    insert into sign_in_attempts (subject, failures, since) values (${linkMark(deps, sender)}, 0, ${since})
    on conflict (subject) do update set since = excluded.since`);
}

/** True when an emailed link replaced the password of an email from this address within 15 minutes. */
export async function hasUsedLink(
  deps: AttemptDeps,
  sender: Pick<Attempt, 'email' | 'address'>,
  nowMs: number,
): Promise<boolean> {
  if (sender.address === undefined) return false;
  const since = sql`${new Date(nowMs - WINDOW_MS).toISOString()}::timestamptz`;
  const { rows } = await deps.store.db.execute(
    sql`select from sign_in_attempts where subject = ${linkMark(deps, sender)} and since > ${since}`,
  );
  return rows.length > 0;
}

function linkMark(
  { installationKey }: Pick<AttemptDeps, 'installationKey'>,
  { email, address = '?' }: Pick<Attempt, 'email' | 'address'>,
): Buffer {
  return digest(installationKey, ['link', email, networkOf(address)]);
}

function listOf(subjects: readonly Subject[]) {
  return sql.join(
    subjects.map(({ subject }) => sql`${subject}`),
    sql`, `,
  );
}

async function readLock(deps: AttemptDeps, subjects: readonly Subject[], nowMs: number): Promise<number> {
  const { rows } = await deps.store.db.execute<{ readonly until: string | null }>(
    sql`select (extract(epoch from max(locked_until)) * 1000)::text as until from sign_in_attempts where subject in (${listOf(subjects)})`,
  );
  return Number(rows[0]?.until ?? nowMs);
}

/** The error of an attempt during a lock. */
export function lockedSignIn(untilMs: number, nowMs: number): Error {
  return serviceError('signInLocked', { retryAfterSeconds: secondsUntil(untilMs, nowMs) });
}

function secondsUntil(untilMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((untilMs - nowMs) / 1_000));
}

type Subject = { readonly of: keyof typeof MOST_RESETS; readonly subject: Buffer; readonly most: number };

/** True for the count of an address, or of all senders without one, which several people may have. */
function isShared({ of }: Subject): boolean {
  return of === 'address' || of === 'unknown';
}

type Kind = 'sign-in' | 'reset';

/**
 * The subjects that an attempt counts for, and whose locks hold for it. Senders without a readable address have short locks of their own.
 * Requests for links count for the email from everywhere, since each sends one.
 */
function countedSubjects(
  deps: Pick<AttemptDeps, 'installationKey'>,
  attempt: Attempt,
  kind: Kind = 'sign-in',
): readonly Subject[] {
  const { address, isKnown = false, isByLink = false } = attempt;
  const counts: Readonly<Record<Subject['of'], boolean>> = {
    pair: address !== undefined,
    address: address !== undefined && !isByLink,
    email: !isKnown && (address !== undefined || kind === 'reset'),
    day: kind === 'reset',
    unknown: address === undefined,
    nowhere: address === undefined,
  };
  return subjectsOf(deps, attempt, kind).filter(({ of }) => counts[of]);
}

function subjectsOf(
  { installationKey }: Pick<AttemptDeps, 'installationKey'>,
  { email, address = '?' }: Attempt,
  kind: Kind = 'sign-in',
): readonly Subject[] {
  const network = networkOf(address);
  const mark = (...parts: readonly string[]): Buffer =>
    digest(installationKey, kind === 'reset' ? ['reset', ...parts] : parts);
  const most = kind === 'reset' ? MOST_RESETS : { ...MOST, day: 0 };
  return [
    { of: 'pair', subject: mark('pair', email, network), most: most.pair },
    { of: 'address', subject: mark('address', network), most: most.address },
    { of: 'email', subject: mark('email', email), most: most.email },
    { of: 'day', subject: mark('day', email), most: most.day },
    { of: 'unknown', subject: mark('unknown'), most: most.unknown },
    { of: 'nowhere', subject: mark('nowhere', email), most: most.nowhere },
  ];
}

function digest(key: AttemptDeps['installationKey'], parts: readonly string[]): Buffer {
  return createHmac('sha256', key.derive('sign-in attempts')).update(JSON.stringify(parts)).digest();
}

/** An IPv4 address, or the /64 of an IPv6 address: one client has that many. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = tail?.split(':').filter((group) => group !== '') ?? [];
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0');
  return [...groups, ...(tail === undefined ? [] : zeros), ...rest]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

/** An IPv4 address, or the /48 of an IPv6 address, which a site has as a whole (RFC 6177). */
export function siteOf(address: string | undefined): string {
  return address === undefined ? '?' : networkOf(address).split(':').slice(0, 3).join(':');
}
