import type { SQL } from 'drizzle-orm';
import { sql } from '../../store/drizzle.ts';

/** Owner of the sums of keys that belong to no account. No account has this id. */
export const NO_OWNER = '00000000-0000-0000-0000-000000000000';

/** The counts of rows of usage, added up. */
export const SUMS: SQL = sql`sum(calls) as calls, sum(errors) as errors, sum(refused) as refused, sum(weight) as weight,
  sum(messages) as messages, sum(caller_errors) as caller_errors`;

/** The rows of `usage_sums` that a row `u` of usage, with its `account_id`, is added to. */
export const ofOwners: SQL = sql`(values
  (coalesce(u.account_id, ${NO_OWNER}::uuid), 'methods_day', date_trunc('day', u.minute, 'UTC'), u.network, u.method),
  (coalesce(u.account_id, ${NO_OWNER}::uuid), 'methods_hour', date_trunc('hour', u.minute, 'UTC'), u.network, u.method),
  (u.key_id, 'methods_day', date_trunc('day', u.minute, 'UTC'), u.network, u.method),
  (u.key_id, 'total_day', date_trunc('day', u.minute, 'UTC'), '', ''),
  (u.key_id, 'total_hour', date_trunc('hour', u.minute, 'UTC'), '', '')
) as s (owner_id, series, start, network, method)`.inlineParams();

/**
 * Returns the account of a key, or of a member, whose calls are those of the dashboard. Each is looked up by itself: a join of new rows has
 * no statistics.
 */
export function accountOf(keyId: SQL): SQL {
  return sql`coalesce(
    (select account_id from api_keys where id = ${keyId}), (select account_id from members where id = ${keyId}))`;
}

/** A call that was under way when its key ended, at whichever gateway, is counted within this time. */
const COUNTED_LATER_MS = 86_400_000;

/** The ids that calls of an account are counted for since an instant. Keys that had ended are left out: there may be very many. */
export function ofAccount(accountId: string, sinceMs: number): SQL {
  const since = new Date(sinceMs - COUNTED_LATER_MS);
  return sql`(
    select id from api_keys where account_id = ${accountId}
      and (revoked_at is null or revoked_at >= ${since}) and (expires_at is null or expires_at >= ${since})
    union all select id from members where account_id = ${accountId}
  )`;
}
