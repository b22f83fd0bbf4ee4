import { bigint, pgTable, text, uuid } from './drizzle.ts';
import { instant } from './columns.ts';

/** The process that reads a network's blocks for all processes on a store, its deadline, and the number of its term. */
export const topicReaders = pgTable('topic_readers', {
  network: text('network').primaryKey(),
  gatewayId: uuid('gateway_id').notNull(),
  /** Grows with each process that begins to read, even if rows are lost: it is not below the milliseconds since 1970. */
  term: bigint('term', { mode: 'number' }).notNull(),
  expiresAt: instant('expires_at').notNull(),
});
