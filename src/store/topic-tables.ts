import { bigint, pgTable, text, uuid } from './drizzle.ts';
import { instant } from './columns.ts';

/** The process that reads the blocks of a network for all processes that serve on a store, until an instant, and the number of its term. */
export const topicReaders = pgTable('topic_readers', {
  network: text('network').primaryKey(),
  gatewayId: uuid('gateway_id').notNull(),
  /** Grows with each process that begins to read, also if rows are lost: it is not below the milliseconds since 1970. */
  term: bigint('term', { mode: 'number' }).notNull(),
  expiresAt: instant('expires_at').notNull(),
});
