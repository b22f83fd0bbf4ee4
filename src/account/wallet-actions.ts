import type { SQL } from 'drizzle-orm';
import { OPERATIONS } from '../../generated/wallets/operations.ts';
import { sql } from '../store/drizzle.ts';

/** Names of the wallet operations in the audit log. */
const ACTIONS = [...new Set(Object.values(OPERATIONS).map(({ audit }) => audit))];

/** The operation that each price row belongs to. */
export const ACTION_OF_PRICE: ReadonlyMap<string, string> = new Map(
  Object.values(OPERATIONS).flatMap(({ audit, prices }) => prices.map((price) => [price, audit] as const)),
);

/** Who made the request of a record: an access token, or a member in the dashboard. */
export const callerId: SQL = sql`coalesce(token_id, member_id)`;

/** Condition of the records that are requests to the wallet service. */
export const isWalletRequest: SQL = sql`${callerId} is not null and action = any(${sql.param(ACTIONS)})`;

/** Condition of those that were carried out, the answers of earlier ones included. */
export const isServed: SQL = sql`outcome in ('ok', 'replayed', 'interrupted')`;
