import type { Placeholder, SQL } from 'drizzle-orm';
import { sql } from '../../store/drizzle.ts';
import { usageWriters } from '../../store/tables.ts';

/** Values, or the placeholders of a statement that is built once. */
type CountedBatch = {
  readonly writerId: string | Placeholder;
  readonly number: number | Placeholder;
};

/** Writes the statement that counts a batch of a writer. It returns a row, or none if the batch was added before. */
export function countBatch({ writerId, number }: CountedBatch, now: number | Placeholder): SQL {
  return sql`
    insert into ${usageWriters} (id, batches, updated_at) values (${writerId}, ${number}, ${typeof now === 'number' ? new Date(now) : now})
    on conflict (id) do update set batches = excluded.batches, updated_at = excluded.updated_at
    where ${usageWriters.batches} < excluded.batches
    returning id`;
}
