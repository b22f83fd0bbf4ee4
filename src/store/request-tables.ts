import { sql } from './drizzle.ts';
import { bigint, check, index, integer, pgTable, primaryKey, text, uuid } from './drizzle.ts';
import { PROTOCOLS } from '../core/request-id.ts';
import { instant } from './columns.ts';

/**
 * Single requests of accounts: a few a second, for some days. No foreign keys: a row that the store refused would block all others. Each
 * index is one that lists are read by (docs/decisions/0124-log-of-requests.md).
 */
export const requests = pgTable(
  'requests',
  {
    accountId: uuid('account_id').notNull(),
    /** Grows with the time of the answer: its milliseconds since 1970, and 16 bits that tell apart what happens in one. */
    id: bigint('id', { mode: 'bigint' }).notNull(),
    requestId: text('request_id').notNull(),
    protocol: text('protocol', { enum: PROTOCOLS }).notNull(),
    /** `<name>-<environment>` of a call to the ledger. */
    network: text('network'),
    /** A method or an operation of the specification, or the name for all others. */
    method: text('method').notNull(),
    callerKind: text('caller_kind', { enum: ['key', 'token', 'member'] }).notNull(),
    callerId: uuid('caller_id').notNull(),
    /** HTTP status. */
    status: integer('status'),
    /** Code of the error; null: it succeeded. */
    error: text('error'),
    rpcCode: integer('rpc_code'),
    durationUs: bigint('duration_us', { mode: 'number' }),
    bytesIn: bigint('bytes_in', { mode: 'number' }),
    bytesOut: bigint('bytes_out', { mode: 'number' }),
    node: text('node'),
    params: text('params'),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.id] }),
    index('requests_request').on(table.accountId, table.requestId, table.id),
    index('requests_caller').on(table.accountId, table.callerId, table.id),
    index('requests_method').on(table.accountId, table.method, table.id),
    index('requests_error').on(table.accountId, table.error, table.id).where(sql`error is not null`),
    index('requests_failed').on(table.accountId, table.id).where(sql`error is not null`),
    check('requests_protocol', sql`protocol in ('json_rpc', 'websocket', 'grpc', 'wallets', 'account')`),
    check('requests_caller_kind', sql`caller_kind in ('key', 'token', 'member')`),
  ],
);

/** The number of rows of `requests` of each account, and until when its params are kept. */
export const requestLogs = pgTable('request_logs', {
  accountId: uuid('account_id').primaryKey(),
  rows: bigint('rows', { mode: 'number' }).notNull().default(0),
  /** No row has a lower id; null: there is none. */
  oldest: bigint('oldest', { mode: 'bigint' }),
  /** Params of calls to the ledger are kept until then. */
  paramsUntil: instant('params_until'),
});
