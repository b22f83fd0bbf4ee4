import type { SQL } from 'drizzle-orm';
import { sql } from '../../store/drizzle.ts';
import { usageWriters } from '../../store/tables.ts';

/** Writes the statement that counts a batch of a writer. It returns a row, or none if the batch was added before. */
export function countBatch(
  { writerId, number }: { readonly writerId: string; readonly number: number },
  nowMs: number,
): SQL {
  return sql`
    insert into ${usageWriters} (id, batches, updated_at) values (${writerId}, ${number}, ${new Date(nowMs)})
    on conflict (id) do update set batches = excluded.batches, updated_at = excluded.updated_at
    where ${usageWriters.batches} < excluded.batches
    returning id`;
}
