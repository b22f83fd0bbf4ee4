import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sumWalletUsage } from '../../src/account/usage/sum-wallet-usage.ts';
import { sql } from '../../src/store/drizzle.ts';
import type { Store } from '../../src/store/open-store.ts';
import { fillNetworkCalls } from './fill-network-calls.ts';

/** Sizes of the account that is measured; other accounts have a fifth of its calls. */
export const SIZES = {
  wallets: 100_000,
  keys: 1_000,
  tokens: 20,
  minutes: 1_000_000,
  records: 1_000_000,
  charges: 300_000,
  days: 30,
  accounts: 10_000,
  members: 100,
} as const;

const CHUNK = 25_000;
const DAY_MS = 86_400_000;
const MIGRATION = new URL('../../src/store/migrations/0012_usage_sums.sql', import.meta.url);

/** The ids that queries name. */
export type FilledAccount = { readonly accountId: string; readonly keyId: string; readonly tokenId: string };

/** Fills a store with an account and others, up to this time, as the server would have; with sums as the migration makes them. */
export async function fillAccount(store: Store, nowMs: number): Promise<FilledAccount> {
  const accountId = randomUUID();
  const run = (statement: string): Promise<unknown> =>
    store.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(sql.raw(statement));
    });
  const chunks = async (rows: number, write: (from: number, to: number) => string): Promise<void> => {
    for (let from = 1; from <= rows; from += CHUNK) await run(write(from, Math.min(from + CHUNK - 1, rows)));
  };
  const now = `timestamptz '${new Date(nowMs).toISOString()}'`;
  const account = `uuid '${accountId}'`;
  const { keys, tokens, days } = SIZES;
  await run(
    `insert into accounts (id, kind, name, created_at) values (${account}, 'customer', 'acme', ${now})`,
  );
  await run(`insert into accounts (id, kind, name, created_at)
    select gen_random_uuid(), 'customer', 'other' || n, ${now} from generate_series(1, 200) n`);
  await run(`insert into accounts (id, kind, name, created_at)
    select gen_random_uuid(), 'customer', 'idle' || n, ${now} from generate_series(1, ${SIZES.accounts}) n`);
  await run(`with l as (
      insert into logins (id, name, email, email_verified, created_at, updated_at)
      select gen_random_uuid(), 'member ' || n, 'member' || n || '@example.com', true, ${now}, ${now}
      from generate_series(1, ${SIZES.members}) n returning id)
    insert into members (id, account_id, user_id, role, created_at)
    select gen_random_uuid(), ${account}, id, 'viewer', ${now} from l`);
  const key = (owner: string) => `insert into api_keys (id, account_id, digest, prefix, name, created_at)
    select gen_random_uuid(), ${owner}, sha256(gen_random_uuid()::text::bytea), 'ks_key_abcd', 'key ' || n, ${now} - n * interval '1 minute'`;
  await run(`${key(account)} from generate_series(1, ${keys}) n`);
  await run(`${key('a.id')} from accounts a, generate_series(1, 5) n where a.name like 'other%'`);
  await run(`insert into access_tokens (id, account_id, digest, prefix, name, scopes, created_at)
    select gen_random_uuid(), ${account}, sha256(gen_random_uuid()::text::bytea), 'ks_tok_abcd', 'token ' || n,
      array['wallets:sign'], ${now} - n * interval '1 minute' from generate_series(1, ${tokens}) n`);
  await run(
    `insert into key_uses select id, ${now}, '192.0.2.1' from api_keys union all select id, ${now}, '192.0.2.1' from access_tokens`,
  );
  const minutes = (owned: string, rows: number) =>
    chunks(
      rows,
      (
        from,
        to,
      ) => `insert into usage_minutes (minute, key_id, network, method, calls, errors, refused, weight)
      select date_trunc('minute', ${now} - (${rows} - n) * interval '${days} days' / ${rows}),
        k.ids[1 + (random() * (cardinality(k.ids) - 1))::int], 'solana-mainnet', 'method' || (random() * 11)::int, 10, 1, 0, 12
      from generate_series(${from}, ${to}) n, (select array_agg(id) as ids from api_keys where ${owned}) k
      on conflict do nothing`,
    );
  await minutes(`account_id = ${account}`, SIZES.minutes);
  await minutes(`account_id <> ${account}`, SIZES.minutes / 5);
  await chunks(
    SIZES.records,
    (from, to) => `insert into audit_records
      (account_id, seq, at, action, outcome, token_id, request_id, wallet_id, units, previous_hash, hash)
    select ${account}, n, ${now} - (${SIZES.records} - n) * interval '${days} days' / ${SIZES.records},
      (array['sign', 'sign', 'sign', 'fetch', 'create'])[1 + n % 5], case when n % 50 = 0 then 'scope_missing' else 'ok' end,
      t.ids[1 + n % ${tokens}], 'req_' || n, 'w_' || n % ${SIZES.wallets}, 1, sha256((n - 1)::text::bytea), sha256(n::text::bytea)
    from generate_series(${from}, ${to}) n, (select array_agg(id) as ids from access_tokens) t`,
  );
  await run(`insert into audit_tips (account_id, seq, hash) select account_id, seq, hash from audit_records
    where account_id = ${account} and seq = ${SIZES.records}`);
  await run(`insert into audit_heads (account_id, seq, hash, at, public_key, signature)
    select account_id, seq, hash, at, hash, hash || hash from audit_records where seq % 1000 = 0`);
  await run(`insert into ledger_accounts (account_id, kind, balance)
    select ${account}, kind, 0 from unnest(array['available', 'reserved', 'revenue', 'funding']) kind`);
  await chunks(
    SIZES.charges,
    (from, to) => `with t as (
      insert into ledger_transactions (account_id, kind, operation, units, month, created_at)
      select ${account}, 'charge', 'managed_signing', 1, '2026-01',
        ${now} - (${SIZES.charges} - n) * interval '${days} days' / ${SIZES.charges}
      from generate_series(${from}, ${to}) n returning id)
    insert into ledger_entries (transaction_id, account_id, kind, amount, balance_after)
    select id, ${account}, kind, case kind when 'revenue' then 100 else -100 end, 0
    from t, unnest(array['available', 'revenue']) kind`,
  );
  await chunks(
    SIZES.wallets,
    (
      from,
      to,
    ) => `insert into wallets (id, account_id, address, kind, public_key, protection, label, created_at)
    select 'w_' || n, ${account}, 'address' || n, 'single', sha256(n::text::bytea), 'software-sealed', 'label ' || n,
      ${now} - n * interval '1 second' from generate_series(${from}, ${to}) n`,
  );
  await fillNetworkCalls(store, nowMs);
  await sumUp(run, nowMs);
  while (await sumWalletUsage(store, nowMs));
  await maintain(store);
  const found = await store.db.execute<{ readonly key_id: string; readonly token_id: string }>(sql`
    select (select id from api_keys where account_id = ${accountId} limit 1) as key_id,
      (select id from access_tokens limit 1) as token_id`);
  return {
    accountId,
    keyId: found.rows[0]?.key_id ?? '',
    tokenId: found.rows[0]?.token_id ?? '',
  };
}

/** As the migration does it, a day at a time, so that no statement exceeds its deadline. */
async function sumUp(run: (statement: string) => Promise<unknown>, nowMs: number): Promise<void> {
  const backfill = readFileSync(MIGRATION, 'utf8')
    .split('--> statement-breakpoint')
    .filter((statement) => statement.includes('INSERT INTO "usage_sums"'));
  const firstMs = Math.floor(nowMs / DAY_MS) * DAY_MS - (SIZES.days + 1) * DAY_MS;
  for (let dayMs = firstMs; dayMs < nowMs; dayMs += DAY_MS) {
    const [from, to] = [dayMs, dayMs + DAY_MS].map((ms) => `'${new Date(ms).toISOString()}'`);
    const ofDay = `FROM (SELECT * FROM "usage_minutes" WHERE minute >= ${from} AND minute < ${to}) u`;
    for (const statement of backfill) await run(statement.replace('FROM "usage_minutes" u', ofDay));
  }
}

/** As the maintenance of both stores does by itself after a number of rows, at some time. */
async function maintain({ kind, db }: Store): Promise<void> {
  const { rows } = await db.execute<{ readonly name: string }>(sql`
    select relname as name from pg_stat_user_tables where schemaname = current_schema() order by 1`);
  for (const { name } of rows)
    await db.execute(sql.raw(`vacuum ${kind === 'postgres' ? '(analyze) ' : ''}"${name}"`));
  await db.execute(sql`checkpoint`);
}
