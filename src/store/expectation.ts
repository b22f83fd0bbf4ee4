import type { SQL } from 'drizzle-orm';
import { sql } from './drizzle.ts';

const DIVISION_BY_ZERO = '22012';

/** Something was not as a statement expected it: nothing was done. */
export class Unexpected extends Error {
  override readonly name = 'Unexpected';
}

/**
 * What a statement selects that fails unless the condition holds, and with it all that goes together with it (see `Store.together`): by a
 * division by zero, the one failure that every PostgreSQL has for it.
 */
export function expecting(condition: SQL): SQL {
  return sql`1 / (${condition})::int as expected`;
}

/** Whether something was not as expected, rather than that the store failed. */
export function isUnexpected(error: unknown): boolean {
  return (
    error instanceof Unexpected ||
    (error instanceof Error && 'code' in error && error.code === DIVISION_BY_ZERO)
  );
}
