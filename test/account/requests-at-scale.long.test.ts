import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { listRequests, type RequestFilters } from '../../src/account/requests/list-requests.ts';
import { firstIdAt } from '../../src/account/requests/request-store.ts';
import { sql } from '../../src/store/drizzle.ts';
import { describeStores, useStore } from '../store/backends.ts';

/** The most rows of an account, and the time that nineteen of twenty pages take at most. */
const ROWS = 1_000_000;
const MOST_MS = 200;
const TIMES = 40;
const ATTEMPTS = 2;
const PART = 20_000;
const NOW = Date.UTC(2026, 1, 3);
const DAY_MS = 86_400_000;
const [ACCOUNT, CALLER] = [randomUUID(), randomUUID()];

describeStores('a million requests of an account', (backend) => {
  test('are filtered by each field, by time and by id with p95 below 200 ms', {
    timeout: 1_800_000,
  }, async () => {
    const store = await useStore(backend.place());
    const first = String(firstIdAt(NOW - 7 * DAY_MS));
    const stepIds = String((firstIdAt(NOW) - firstIdAt(NOW - 7 * DAY_MS)) / BigInt(ROWS));
    for (let from = 0; from < ROWS; from += PART)
      await store.db.execute(sql`
        insert into requests (account_id, id, request_id, protocol, network, method, caller_kind, caller_id, status, error,
          rpc_code, duration_us, bytes_in, bytes_out, node)
        select ${ACCOUNT}::uuid, ${first}::bigint + n * ${stepIds}::bigint, 'req_' || md5(n::text),
          case when n % 50 = 0 then 'wallets' when n % 7 = 0 then 'websocket' else 'json_rpc' end,
          case when n % 3 = 0 then 'solana-devnet' else 'solana-mainnet' end,
          case when n % 100000 = 1 then 'getSupply' when n % 5 = 0 then 'getSlot' else 'getAccountInfo' end,
          'key', case when n % 90000 = 2 then ${CALLER}::uuid else gen_random_uuid() end,
          case when n % 11 = 0 then 429 else 200 end,
          case when n % 200000 = 3 then 'upstream_timeout' when n % 11 = 0 then 'rate_limited' end,
          null, n % 50000, 120, n % 9000, case when n % 300000 = 4 then 'node-9' else 'node-' || n % 3 end
        from generate_series(${from}::int, ${from + PART - 1}::int) n`);
    await store.db.execute(sql`analyze requests`);
    const cases: Readonly<Record<string, RequestFilters & { since?: Date; until?: Date }>> = {
      none: {},
      id: { requestId: `req_${'c4ca4238a0b923820dcc509a6f75849b'}` },
      protocol: { protocol: 'wallets' },
      network: { network: 'solana-devnet' },
      method: { method: 'getSlot' },
      'a rare method': { method: 'getSupply' },
      'a rare caller': { callerId: CALLER },
      nobody: { callerId: randomUUID() },
      failed: { outcome: 'failed' },
      status: { status: 429 },
      'a status of none': { status: 418 },
      error: { error: 'rate_limited' },
      'a rare error': { error: 'upstream_timeout' },
      'a rare node': { node: 'node-9' },
      duration: { minDurationMs: 49 },
      'a duration of none': { minDurationMs: 51 },
      bytes: { minBytes: 8_999 },
      time: { since: new Date(NOW - 3 * DAY_MS), until: new Date(NOW - 2 * DAY_MS) },
      'a method, a node and a time': {
        method: 'getSlot',
        node: 'node-9',
        until: new Date(NOW - 3 * DAY_MS),
      },
    };
    /** Reads pages one after the other. @returns the time that nineteen of twenty of them take at most. */
    const measure = async (filters: RequestFilters): Promise<number> => {
      const times: number[] = [];
      let after: Awaited<ReturnType<typeof listRequests>>['next'];
      for (let time = 0; time < TIMES; time++) {
        const startMs = performance.now();
        const page = await listRequests(store, ACCOUNT, { ...filters, limit: 100, after });
        times.push(performance.now() - startMs);
        after = page.next;
      }
      return times.sort((a, b) => a - b)[Math.ceil(0.95 * TIMES) - 1] ?? Number.NaN;
    };
    const slow: string[] = [];
    const figures: string[] = [];
    for (const [name, filters] of Object.entries(cases)) {
      let p95 = await measure(filters);
      // On a machine that others keep busy.
      for (let again = 0; p95 >= MOST_MS && again < ATTEMPTS; again++) p95 = await measure(filters);
      figures.push(`${name} ${p95.toFixed(0)} ms`);
      if (!(p95 < MOST_MS)) slow.push(`${name}: ${p95.toFixed(0)} ms`);
    }
    const { rows } = await store.db.execute<{ size: string }>(
      sql`select pg_total_relation_size('requests') as size`,
    );
    console.info(
      `${backend.kind}: ${Math.round(Number(rows[0]?.size) / 2 ** 20)} MiB; p95 ${figures.join(', ')}`,
    );
    expect(slow).toEqual([]);
  });
});
