import { randomUUID } from 'node:crypto';
import type { SQL } from 'drizzle-orm';
import { ACCOUNT_HANDLERS } from '../../generated/account/account-handlers.ts';
import { WALLET_HANDLERS } from '../../generated/wallets/wallet-handlers.ts';
import { Keyring } from '../../src/account/identity/api-keys/keyring.ts';
import { addNetworkCalls } from '../../src/account/usage/network-calls-store.ts';
import { PlanBook } from '../../src/account/plans/plan-book.ts';
import { SCOPES } from '../../src/account/identity/tokens/scopes.ts';
import { TokenRing } from '../../src/account/identity/tokens/token-ring.ts';
import type { AccountContext } from '../../src/account/api/account-context.ts';
import { sql } from '../../src/store/drizzle.ts';
import type { Store } from '../../src/store/open-store.ts';
import type { WalletContext } from '../../src/wallets/wallet-context.ts';
import { type FilledAccount, SIZES } from './fill-account.ts';
import { NETWORKS, rowsOf } from './fill-network-calls.ts';

/** An operation of the account service, and a query that reads the same from the rows themselves. */
export type ListLoad = {
  readonly name: string;
  readonly run: () => Promise<unknown>;
  readonly raw: SQL;
};

const DAY_MS = 86_400_000;

/** The measured loads: every list and sum, with its handler, on a store that was filled up to this time. */
export function createListLoads({
  store,
  accountId,
  keyId,
  tokenId,
  nowMs,
}: FilledAccount & { readonly store: Store; readonly nowMs: number }): readonly ListLoad[] {
  const writerId = randomUUID();
  let flushed = 0;
  /** Each time there is something to store. */
  const flushCalls = (): Promise<void> =>
    addNetworkCalls(store, { writerId, number: ++flushed, rows: rowsOf(nowMs) }, nowMs);
  // Operations that read use no other part.
  const context = {
    store,
    keyring: new Keyring(),
    tokens: new TokenRing(),
    plans: new PlanBook(),
    flushUsage: () => Promise.resolve(),
    flushCalls,
    clock: { nowMs: () => nowMs },
    watchedNetworks: NETWORKS.map((label) => ({
      name: 'solana',
      environment: 'mainnet',
      label,
      rpcPath: `/${label}`,
      statuses: () => [],
      probe: () => Promise.resolve('ready'),
      pace: () => ({ slotMs: 400, source: 'notifications' }),
    })),
    members: { store },
    reconciliation: { isDone: () => true },
    request: { requestId: 'req_bench', nowMs },
    caller: { accountId, tokenId, scopes: new Set(SCOPES), requestId: 'req_bench' },
  } as unknown as AccountContext & WalletContext;
  const handlers = ACCOUNT_HANDLERS;
  const page = { limit: 100 };
  // Neither end is at the beginning of an hour.
  const since = new Date(nowMs - (SIZES.days - 1) * DAY_MS).toISOString();
  const until = new Date(nowMs - 90 * 60_000).toISOString();
  const lastDay = new Date(nowMs - DAY_MS).toISOString();
  const middle = new Date(nowMs - (SIZES.days / 2) * DAY_MS).toISOString();
  const own = sql`(select id from api_keys where account_id = ${accountId})`;
  const usage = (by: 'key' | 'method' | 'network' | 'hour' | 'day', key?: string): ListLoad => {
    const groups = { key: sql`key_id::text`, method: sql`method`, network: sql`network` };
    const times = { hour: sql`date_trunc('hour', minute)::text`, day: sql`date_trunc('day', minute)::text` };
    const whose = key === undefined ? sql`key_id in ${own}` : sql`key_id = ${key}`;
    return {
      name: `getUsage by ${by}${key === undefined ? '' : ' of a key'}`,
      run: () =>
        handlers.getUsage(
          context,
          requestWith({ by, since, until, ...(key !== undefined && { key_id: key }) }),
        ),
      raw: sql`select ${{ ...groups, ...times }[by]}, sum(calls), sum(errors), sum(refused), sum(weight) from usage_minutes
        where ${whose} and minute >= ${since} and minute < ${until} group by 1`,
    };
  };
  const wallets = (by: 'token' | 'operation' | 'hour' | 'day'): ListLoad => {
    const group = { token: sql`token_id::text`, operation: sql`action` };
    const times = { hour: sql`date_trunc('hour', at)::text`, day: sql`date_trunc('day', at)::text` };
    return {
      name: `getWalletUsage by ${by}`,
      run: () => handlers.getWalletUsage(context, requestWith({ by, since, until })),
      raw: sql`select ${{ ...group, ...times }[by]}, count(*) from audit_records
        where account_id = ${accountId} and at >= ${since} and at < ${until} group by 1`,
    };
  };
  const managed = (name: string, query: object, where: SQL): ListLoad => ({
    name: `listWallets ${name}`,
    run: () => WALLET_HANDLERS.listWallets(context, requestWith({ ...page, ...query })),
    raw: sql`select * from wallets where account_id = ${accountId} and ${where} order by created_at desc, id desc limit 100`,
  });
  const records = (name: string, query: object, where: SQL): ListLoad => ({
    name: `listAuditRecords ${name}`,
    run: () => handlers.listAuditRecords(context, requestWith({ ...page, ...query })),
    raw: sql`select * from audit_records where account_id = ${accountId} and ${where} limit 100`,
  });
  return [
    {
      name: 'getAccount',
      run: () => handlers.getAccount(context, requestWith(undefined)),
      raw: sql`select * from accounts where id = ${accountId}`,
    },
    {
      name: 'listNetworks, with a flush',
      run: () => handlers.listNetworks(context, requestWith(undefined)),
      raw: sql`select network, sum(calls), sum(errors), null, null from network_calls
        where unit = 'five_minutes' and start >= ${since} group by 1
        union all select network, sum(calls), sum(errors), sum(refused), sum(weight) from usage_minutes
        where key_id in ${own} and minute >= ${since} group by 1`,
    },
    {
      name: 'listKeys, 1,000',
      run: () => handlers.listKeys(context, requestWith({ limit: 1_000 })),
      raw: sql`select * from api_keys where account_id = ${accountId} order by created_at desc, id desc limit 1000`,
    },
    {
      name: 'listTokens',
      run: () => handlers.listTokens(context, requestWith(page)),
      raw: sql`select * from access_tokens where account_id = ${accountId} order by created_at desc, id desc limit 100`,
    },
    {
      name: 'listMembers',
      run: () => handlers.listMembers(context, requestWith(undefined)),
      raw: sql`select * from members join logins on logins.id = user_id where account_id = ${accountId}`,
    },
    ...[undefined, 'other7', 'none'].map((part) => ({
      name: `listAccounts${part === undefined ? '' : ` whose names contain ${part}`}`,
      run: () => handlers.listAccounts(context, requestWith({ ...page, ...(part && { name: part }) })),
      raw: sql`select * from accounts where strpos(name, ${part ?? ''}) > 0 order by created_at desc, id desc limit 100`,
    })),
    managed('newest', {}, sql`true`),
    managed('by label', { label: 'Label 77' }, sql`label ilike '%label 77%'`),
    managed('by a label that none has', { label: 'deposit' }, sql`label ilike '%deposit%'`),
    records('newest', {}, sql`true order by seq desc`),
    records('of a wallet', { wallet_id: 'w_77' }, sql`wallet_id = 'w_77' order by seq desc`),
    records('between instants', { since, until: middle }, sql`at < ${middle} order by at desc, seq desc`),
    records('of an action', { action: 'fetch' }, sql`action = 'fetch' order by seq desc`),
    records(
      'of an action that is none',
      { action: 'destroy' },
      sql`seq > ${SIZES.records - 5_000} and action = 'destroy'`,
    ),
    {
      name: 'listAuditChain, 1,000',
      run: () => handlers.listAuditChain(context, requestWith({ from_seq: 500_000, limit: 1_000 })),
      raw: sql`select * from audit_records where account_id = ${accountId} and seq >= 500000 order by seq limit 1000`,
    },
    {
      name: 'listAuditChain, 5,000',
      run: () => handlers.listAuditChain(context, requestWith({ from_seq: 500_000, limit: 5_000 })),
      raw: sql`select * from audit_records where account_id = ${accountId} and seq >= 500000 order by seq limit 5000`,
    },
    {
      name: 'listAuditHeads, 1,000',
      run: () => handlers.listAuditHeads(context, requestWith({ from_seq: 1, limit: 1_000 })),
      raw: sql`select * from audit_heads where account_id = ${accountId} order by seq limit 1000`,
    },
    ...(['key', 'method', 'network', 'hour', 'day'] as const).map((by) => usage(by)),
    ...(['method', 'hour', 'day'] as const).map((by) => usage(by, keyId)),
    {
      name: 'getUsage by minute of a day',
      run: () => handlers.getUsage(context, requestWith({ by: 'minute', since: lastDay })),
      raw: sql`select minute, sum(calls) from usage_minutes where key_id in ${own} and minute >= ${lastDay} group by 1`,
    },
    ...(['token', 'operation', 'hour', 'day'] as const).map(wallets),
    {
      name: 'getWalletUsage by minute of a day',
      run: () => handlers.getWalletUsage(context, requestWith({ by: 'minute', since: lastDay })),
      raw: sql`select date_trunc('minute', at), count(*) from audit_records
        where account_id = ${accountId} and at >= ${lastDay} group by 1`,
    },
    {
      name: 'listEntries newest',
      run: () => handlers.listEntries(context, requestWith(page)),
      raw: sql`select * from ledger_transactions where account_id = ${accountId} order by id desc limit 100`,
    },
    {
      name: 'listEntries between instants',
      run: () => handlers.listEntries(context, requestWith({ ...page, since, until: middle })),
      raw: sql`select * from ledger_transactions where account_id = ${accountId} and created_at < ${middle}
        order by created_at desc, id desc limit 100`,
    },
  ];
}

function requestWith<Q>(query: Q) {
  return { id: '', form: 'json' as const, body: undefined, query, twoFactorCode: undefined };
}
