import type { SQL } from 'drizzle-orm';
import pg from 'pg';
import { sql } from './drizzle.ts';

/** Something was not as a statement expected: nothing was done. */
export class Unexpected extends Error {
  override readonly name = 'Unexpected';
}

/**
 * Returns a selection that fails unless the condition holds, and with it everything sent together with it (see `Store.together`): by a
 * division by zero, the one failure that every PostgreSQL has for it.
 */
export function expecting(condition: SQL): SQL {
  return sql`1 / ((${condition}) is true)::int as expected`;
}

/** True when something was not as expected, or PostgreSQL refused it for another reason, while the store itself works: nothing was done. */
export function isRefused(error: unknown): boolean {
  return error instanceof Unexpected || (error instanceof pg.DatabaseError && error.severity === 'ERROR');
}
