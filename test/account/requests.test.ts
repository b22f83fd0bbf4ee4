import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ensureAccount } from '../../src/account/accounts/accounts.ts';
import { createApiKey } from '../../src/account/identity/api-keys/api-keys.ts';
import { Keyring } from '../../src/account/identity/api-keys/keyring.ts';
import { EXAMINED, listRequests, type RequestFilters } from '../../src/account/requests/list-requests.ts';
import {
  addRequests,
  firstIdAt,
  instantOf,
  purgeRequests,
  type RequestRow,
} from '../../src/account/requests/request-store.ts';
import { sql } from '../../src/store/drizzle.ts';
import type { Store } from '../../src/store/open-store.ts';
import { requestLogs } from '../../src/store/request-tables.ts';
import { describeStores, type TestBackend } from '../store/backends.ts';

const NOW = Date.UTC(2026, 1, 3);
const [ACCOUNT, OTHER, CALLER] = [randomUUID(), randomUUID(), randomUUID()];

const row = (own: Partial<RequestRow> = {}): RequestRow => ({
  accountId: ACCOUNT,
  atMs: NOW,
  requestId: 'req_1',
  protocol: 'json_rpc',
  network: 'solana-localnet',
  method: 'getSlot',
  callerKind: 'key',
  callerId: CALLER,
  status: 200,
  durationUs: 1_500,
  bytesIn: 50,
  bytesOut: 60,
  node: 'node-1',
  ...own,
});

let lastNumber = 0;
const WRITER = randomUUID();

function add(store: Store, rows: readonly RequestRow[]): Promise<number> {
  return addRequests(store, { writerId: WRITER, number: ++lastNumber, rows }, NOW);
}

/** Rows a second apart, the newest last, with ids of their own. */
function rowsOf(own: readonly Partial<RequestRow>[]): readonly RequestRow[] {
  return own.map((each, index) => row({ requestId: `req_${index}`, atMs: NOW + index * 1_000, ...each }));
}

async function idsOf(store: Store, filters: RequestFilters = {}, accountId = ACCOUNT) {
  const { requests } = await listRequests(store, accountId, { limit: 100, ...filters });
  return requests.map(({ requestId }) => requestId);
}

const WIDE = { beforeMs: 0, maxRows: 1_000_000, maxTotalRows: 1_000_000 };

async function purge(store: Store, bounds: Partial<typeof WIDE>): Promise<number> {
  let steps = 0;
  while (await purgeRequests(store, { ...WIDE, ...bounds })) steps++;
  return steps;
}

async function countsOf(store: Store) {
  const rows = await store.db.select().from(requestLogs);
  return Object.fromEntries(rows.map(({ accountId, rows: count }) => [accountId, count]));
}

describeStores('the log of requests', (backend: TestBackend) => {
  const opened = backend.emptied();

  test('a request is listed with all that is known of it, and the name of its key', async () => {
    const store = opened();
    const accountId = await ensureAccount(store, 'acme', NOW);
    const key = await createApiKey({ store, keyring: new Keyring() }, { accountId, name: 'checkout' }, NOW);
    await add(store, [row({ accountId, callerId: key.id, params: '["é"]' })]);
    const { requests, next } = await listRequests(store, accountId, { limit: 10 });
    expect(next).toBeUndefined();
    expect(requests).toMatchObject([
      {
        requestId: 'req_1',
        protocol: 'json_rpc',
        network: 'solana-localnet',
        method: 'getSlot',
        callerKind: 'key',
        callerId: key.id,
        callerName: 'checkout',
        status: 200,
        error: null,
        rpcCode: null,
        durationUs: 1_500,
        bytesIn: 50,
        bytesOut: 60,
        node: 'node-1',
        params: '["é"]',
      },
    ]);
    expect(requests.map(({ id }) => instantOf(id).getTime())).toEqual([NOW]);
  });

  test('a batch that is sent again is not added again, and another account sees nothing of it', async () => {
    const store = opened();
    const batch = { writerId: randomUUID(), number: 1, rows: [row(), row({ requestId: 'req_2' })] };
    expect([await addRequests(store, batch, NOW), await addRequests(store, batch, NOW)]).toEqual([0, 0]);
    expect(await idsOf(store)).toEqual(['req_2', 'req_1']);
    expect(await countsOf(store)).toEqual({ [ACCOUNT]: 2 });
    expect(await idsOf(store, {}, OTHER)).toEqual([]);
    expect(await idsOf(store, { requestId: 'req_1' }, OTHER)).toEqual([]);
  });

  test('each filter selects by its field, and filters apply together', async () => {
    const store = opened();
    const caller = randomUUID();
    const own: readonly Partial<RequestRow>[] = [
      {},
      { protocol: 'wallets', method: 'createWallet', network: undefined, callerKind: 'token', status: 201 },
      { method: 'getBlock', callerId: caller, durationUs: 900_000 },
      { status: 429, error: 'rate_limited', callerId: caller },
      { error: 'node_error', rpcCode: -32_007, node: 'node-2', bytesOut: 70_000 },
      { network: 'solana-devnet', protocol: 'websocket', status: undefined, bytesOut: undefined },
    ];
    await add(store, rowsOf(own));
    const found = async (filters: RequestFilters & { since?: Date; until?: Date }) =>
      (await idsOf(store, filters)).map((id) => Number(id.slice(4)));
    expect(await found({})).toEqual([5, 4, 3, 2, 1, 0]);
    expect(await found({ protocol: 'wallets' })).toEqual([1]);
    expect(await found({ network: 'solana-devnet' })).toEqual([5]);
    expect(await found({ method: 'getBlock' })).toEqual([2]);
    expect(await found({ callerId: caller })).toEqual([3, 2]);
    expect(await found({ outcome: 'failed' })).toEqual([4, 3]);
    expect(await found({ outcome: 'ok' })).toEqual([5, 2, 1, 0]);
    expect(await found({ status: 429 })).toEqual([3]);
    expect(await found({ error: 'node_error' })).toEqual([4]);
    expect(await found({ node: 'node-2' })).toEqual([4]);
    expect(await found({ minDurationMs: 900 })).toEqual([2]);
    expect(await found({ minDurationMs: 901 })).toEqual([]);
    expect(await found({ minBytes: 70_000 })).toEqual([4]);
    expect(await found({ requestId: 'req_3' })).toEqual([3]);
    expect(await found({ callerId: caller, outcome: 'failed' })).toEqual([3]);
    expect(await found({ method: 'getBlock', node: 'node-2' })).toEqual([]);
    expect(await found({ since: new Date(NOW + 2_000), until: new Date(NOW + 4_000) })).toEqual([3, 2]);
  });

  test('pages follow each other without a gap or a repetition, whatever is added meanwhile', async () => {
    const store = opened();
    await add(store, rowsOf(Array.from({ length: 25 }, () => ({}))));
    const seen: string[] = [];
    let after: Awaited<ReturnType<typeof listRequests>>['next'];
    do {
      const page = await listRequests(store, ACCOUNT, { limit: 10, after });
      seen.push(...page.requests.map(({ requestId }) => requestId));
      after = page.next;
      await add(store, [row({ requestId: 'req_new', atMs: NOW + 60_000 })]);
    } while (after !== undefined);
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => `req_${24 - index}`));
  });

  test('a page examines a bounded number of requests, and leads on', async () => {
    const store = opened();
    const first = String(firstIdAt(NOW));
    // In parts, each of which a busy machine inserts in time.
    for (let from = 1; from <= EXAMINED; from += 2_000)
      await store.db.execute(sql`
      insert into requests (account_id, id, request_id, protocol, method, caller_kind, caller_id, node)
      select ${ACCOUNT}::uuid, ${first}::bigint + n, 'req_' || n, 'json_rpc', 'getSlot', 'key', ${CALLER}::uuid,
        case when n = 1 then 'rare' else 'node-1' end
      from generate_series(${from}::int, ${from + 1_999}::int) n`);
    await add(store, [row({ atMs: NOW + 1_000 })]);
    const page = await listRequests(store, ACCOUNT, { limit: 5, node: 'rare' });
    expect([page.requests, page.next?.id]).toEqual([[], String(firstIdAt(NOW) + 2n)]);
    const rest = await listRequests(store, ACCOUNT, { limit: 5, node: 'rare', after: page.next });
    expect([rest.requests.map(({ requestId }) => requestId), rest.next]).toEqual([['req_1'], undefined]);
  });

  test('requests that are too old are deleted in bounded steps', async () => {
    const store = opened();
    await add(store, rowsOf(Array.from({ length: 6_000 }, (_, index) => ({ atMs: NOW + index }))));
    await add(store, [row({ accountId: OTHER, atMs: NOW + 10_000 })]);
    expect(await purge(store, { beforeMs: NOW + 5_998 })).toBe(2);
    expect(await idsOf(store)).toEqual(['req_5999', 'req_5998']);
    expect(await countsOf(store)).toEqual({ [ACCOUNT]: 2, [OTHER]: 1 });
    expect(await purge(store, { beforeMs: NOW + 5_998 })).toBe(0);
    expect(await purge(store, { beforeMs: NOW + 20_000 })).toBe(2);
    expect(await countsOf(store)).toEqual({ [ACCOUNT]: 0, [OTHER]: 0 });
    await add(store, [row({ atMs: NOW + 30_000 })]);
    expect(await purge(store, { beforeMs: NOW + 20_000 })).toBe(0);
    expect(await purge(store, { beforeMs: NOW + 40_000 })).toBe(1);
  });

  test('of more than an account may have, the oldest are deleted; of more than all may have, those of the one with the most', async () => {
    const store = opened();
    await add(store, rowsOf([{}, {}, {}, {}, {}]));
    await add(store, [row({ accountId: OTHER, atMs: NOW - 1_000 })]);
    await purge(store, { maxRows: 4 });
    expect(await idsOf(store)).toEqual(['req_4', 'req_3', 'req_2', 'req_1']);
    await purge(store, { maxTotalRows: 3 });
    expect(await idsOf(store)).toEqual(['req_4', 'req_3']);
    expect(await countsOf(store)).toEqual({ [ACCOUNT]: 2, [OTHER]: 1 });
  });

  test('writers and purges at once keep the count', async () => {
    const store = opened();
    const work = Array.from({ length: 8 }, async (_, index) => {
      const rows = rowsOf(Array.from({ length: 50 }, () => ({ atMs: NOW + index })));
      await addRequests(store, { writerId: randomUUID(), number: 1, rows }, NOW);
      await purgeRequests(store, { ...WIDE, maxRows: 120 });
    });
    await Promise.all(work);
    await purge(store, { maxRows: 120 });
    expect(await countsOf(store)).toEqual({ [ACCOUNT]: 120 });
    const { rows } = await store.db.execute<{ n: string }>(sql`select count(*) as n from requests`);
    expect(Number(rows[0]?.n)).toBe(120);
  });
});
