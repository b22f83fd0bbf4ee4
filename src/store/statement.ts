import type { Placeholder, Query, SQLWrapper } from 'drizzle-orm';
import { fillPlaceholders, PgDialect, SQL, sql } from './drizzle.ts';

type Row = Record<string, unknown>;

/** What PostgreSQL answers to a statement. `rowCount`: of the rows that it changed or read. */
export type StatementResult<R extends Row = Row> = {
  readonly rows: readonly R[];
  readonly rowCount: number | null;
};

/** What carries out statements: a store, a transaction, or a pipeline (see `Store.together`). */
export type Executes = { readonly execute: (statement: BuiltSql) => PromiseLike<StatementResult> };

/** The place of a value in the text of a statement. */
export type PlaceOf<V> = (name: keyof V & string) => Placeholder;

const DIALECT = new PgDialect();

/**
 * A statement that requests carry out again and again. Its text is built when it is first wanted, and then only filled: to build
 * it anew each time leaves more to the garbage collector than the rest of a request does.
 *
 * @param write writes it; each value that differs from time to time stands where its `place` is.
 * @returns what carries it out with values; it has begun to when it returns.
 */
export function createStatement<V extends Row, R extends Row = Row>(
  write: (place: PlaceOf<V>) => SQLWrapper,
): (db: Executes, values: V) => Promise<StatementResult<R>> {
  let built: Query | undefined;
  return async (db, values) => {
    built ??= DIALECT.sqlToQuery(write((name) => sql.placeholder(name)).getSQL());
    const statement = new BuiltSql(built.sql, fillPlaceholders(built.params, values));
    return (await db.execute(statement)) as StatementResult<R>;
  };
}

/** A statement that is text already. */
export class BuiltSql extends SQL {
  readonly #query: Query;

  constructor(text: string, params: unknown[]) {
    super([]);
    this.#query = { sql: text, params };
  }

  override toQuery(): Query {
    return this.#query;
  }
}
