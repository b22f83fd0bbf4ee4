import { randomUUID } from 'node:crypto';
import { createAccountClient } from '../../../../generated/account/client.ts';
import type { AccountValueName } from '../../../../generated/contract/account/contract.ts';
import { query } from '../../../wallets/live/query.ts';

const HOUR_MS = 3_600_000;

/** Makes planned work: some that has begun, and new work each time that it is asked for. */
export async function provisionWork(
  { baseUrl, databaseUrl }: { readonly baseUrl: string; readonly databaseUrl: string },
  operatorToken: string,
) {
  const client = createAccountClient({ url: baseUrl, token: operatorToken });
  const startMs = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 48 * HOUR_MS;
  const [starts_at, ends_at] = [startMs, startMs + HOUR_MS].map((ms) => new Date(ms).toISOString());
  const begun = randomUUID();
  await query(
    databaseUrl,
    `insert into planned_work (id, starts_at, ends_at, note, announced_at)
      values ('${begun}', date_trunc('hour', now()) - interval '1 hour', date_trunc('hour', now()) + interval '2 hours', 'begun', now() - interval '3 days')`,
  );
  const known: Partial<Record<AccountValueName, string>> = {
    work_start: starts_at ?? '',
    work_end: ends_at ?? '',
    begun_work_id: begun,
  };
  const fresh = async (): Promise<string> =>
    (await client.announceWork({ starts_at: starts_at ?? '', ends_at: ends_at ?? '', note: 'made' })).work_id;
  return { known, fresh };
}
