import { walletMinutes } from '../../store/billing-tables.ts';
import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { countBatch } from '../usage/count-batch.ts';

/** Requests of an account to the wallet service in a minute, and those of them that the service failed to answer. */
export type WalletMinute = {
  readonly minuteMs: number;
  readonly accountId: string;
  readonly requests: number;
  readonly failed: number;
};

/** Counts that are added together, once. `number` grows by one with each batch of a writer, from 1. */
export type WalletMinuteBatch = {
  readonly writerId: string;
  readonly number: number;
  readonly rows: readonly WalletMinute[];
};

/**
 * Adds a batch of counts to the stored ones, in one statement: all or nothing. A batch is never added twice, so one with an unknown
 * outcome can be sent again. Processes may add to the same rows at the same time.
 */
export async function addWalletMinutes(
  { db }: Pick<Store, 'db'>,
  { writerId, number, rows }: WalletMinuteBatch,
  nowMs: number,
): Promise<void> {
  const column = <T>(read: (row: WalletMinute) => T) => sql.param(rows.map(read));
  await db.execute(sql`
    with fresh as (${countBatch({ writerId, number }, nowMs)}), batch as (
      select minute, account_id, sum(requests) as requests, sum(failed) as failed
      from unnest(
        ${column(({ minuteMs }) => new Date(minuteMs).toISOString())}::timestamptz[],
        ${column(({ accountId }) => accountId)}::uuid[],
        ${column(({ requests }) => requests)}::bigint[],
        ${column(({ failed }) => failed)}::bigint[]
      ) as batch (minute, account_id, requests, failed)
      where exists (select from fresh)
      group by 1, 2
    )
    insert into ${walletMinutes} (minute, account_id, requests, failed)
    select * from batch order by account_id, minute
    on conflict (account_id, minute) do update set
      requests = ${walletMinutes.requests} + excluded.requests, failed = ${walletMinutes.failed} + excluded.failed`);
}
