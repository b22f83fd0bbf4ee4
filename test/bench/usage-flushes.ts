import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { addUsage, type UsageRow } from '../../src/account/usage/usage-store.ts';
import { sql } from '../../src/store/drizzle.ts';
import type { Store } from '../../src/store/open-store.ts';
import { readCpuUs } from './cpu.ts';

/** The cost of a flush: the time until it was stored, and the CPU time of this process and of the connection's server. */
type Cost = { readonly ms: number; readonly cpuMs: number };

/** A full batch, as the server flushes it, and a plain statement that adds the same counts to the minutes alone. */
export type Flushes = {
  readonly name: string;
  readonly own: readonly Cost[];
  readonly plain: readonly Cost[];
};

const METHODS = 10;
const MINUTE_MS = 60_000;

/**
 * Measures flushes of full batches: each of 1,000 keys called ten methods. The first batch of a minute makes its rows, the second adds to
 * them. The plain statement writes rows of another network, each in turn with a flush.
 */
export async function measureFlushes(
  store: Store,
  {
    accountId,
    nowMs,
    rounds,
  }: { readonly accountId: string; readonly nowMs: number; readonly rounds: number },
): Promise<readonly Flushes[]> {
  const found = await store.db.execute<{ readonly id: string }>(
    sql`select id from api_keys where account_id = ${accountId}`,
  );
  const keyIds = found.rows.map(({ id }) => id);
  const pids = await processesOf(store);
  const writerId = randomUUID();
  const measured = ['first of a minute', 'later in a minute'].map((name) => ({
    name,
    own: [] as Cost[],
    plain: [] as Cost[],
  }));
  let number = 0;
  for (let round = 0; round <= rounds; round += 1)
    for (const { own, plain } of measured) {
      const rowsOf = (network: string) => batchOf(keyIds, network, nowMs + round * MINUTE_MS);
      const batch = { writerId, number: ++number, rows: rowsOf('solana-mainnet') };
      const cost = await costOf(pids, () => addUsage(store, batch, nowMs));
      const plainRows = rowsOf('solana-devnet');
      const plainCost = await costOf(pids, () => addMinutes(store, plainRows));
      if (round === 0) continue;
      own.push(cost);
      plain.push(plainCost);
    }
  return measured;
}

function batchOf(keyIds: readonly string[], network: string, minuteMs: number): readonly UsageRow[] {
  const start = Math.floor(minuteMs / MINUTE_MS) * MINUTE_MS;
  const counts = { calls: 10, errors: 1, callerErrors: 0, refused: 0, weight: 12, messages: 0 };
  return keyIds.flatMap((keyId) =>
    Array.from({ length: METHODS }, (_, n) => ({
      minuteMs: start,
      keyId,
      network,
      method: `method${n}`,
      ...counts,
    })),
  );
}

async function addMinutes({ db }: Store, rows: readonly UsageRow[]): Promise<void> {
  const column = <T>(read: (row: UsageRow) => T) => sql.param(rows.map(read));
  await db.execute(sql`
    insert into usage_minutes as m (minute, key_id, network, method, calls, errors, refused, weight, messages)
    select * from unnest(
      ${column(({ minuteMs }) => new Date(minuteMs).toISOString())}::timestamptz[], ${column(({ keyId }) => keyId)}::uuid[],
      ${column(({ network }) => network)}::text[], ${column(({ method }) => method)}::text[],
      ${column(({ calls }) => calls)}::bigint[], ${column(({ errors }) => errors)}::bigint[],
      ${column(({ refused }) => refused)}::bigint[], ${column(({ weight }) => weight)}::bigint[],
      ${column(({ messages }) => messages)}::bigint[]
    ) as batch (minute, key_id, network, method, calls, errors, refused, weight, messages) order by 1, 2, 3, 4
    on conflict (minute, key_id, network, method) do update set calls = m.calls + excluded.calls,
      errors = m.errors + excluded.errors, refused = m.refused + excluded.refused, weight = m.weight + excluded.weight,
      messages = m.messages + excluded.messages`);
}

/** This process, and the server process of the connection if it runs on this machine: the pool gives out the same one again. */
async function processesOf({ kind, db }: Store): Promise<readonly number[]> {
  if (kind === 'pglite') return [process.pid];
  const { rows } = await db.execute<{ readonly pid: number }>(sql`select pg_backend_pid() as pid`);
  const pid = rows[0]?.pid;
  if (pid === undefined || !existsSync(`/proc/${pid}/task`))
    throw new Error('the PostgreSQL has to run on this machine, so that its CPU time can be read');
  return [process.pid, pid];
}

async function costOf(pids: readonly number[], work: () => Promise<void>): Promise<Cost> {
  const cpuUs = (): number => pids.reduce((sum, pid) => sum + readCpuUs(pid), 0);
  const [beganMs, beganUs] = [performance.now(), cpuUs()];
  await work();
  return { ms: performance.now() - beganMs, cpuMs: (cpuUs() - beganUs) / 1_000 };
}
