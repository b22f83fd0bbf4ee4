import type { Placeholder, Query, SQLWrapper } from 'drizzle-orm';
import { fillPlaceholders, PgDialect, SQL, sql } from './drizzle.ts';

type Row = Record<string, unknown>;

/** PostgreSQL's answer to a statement. `rowCount`: number of rows that it changed or read. */
export type StatementResult<R extends Row = Row> = {
  readonly rows: readonly R[];
  readonly rowCount: number | null;
};

/** Runs statements: a store, a transaction, or a pipeline (see `Store.together`). */
export type Executes = { readonly execute: (statement: BuiltSql) => PromiseLike<StatementResult> };

/** The placeholder of a value in the text of a statement. */
export type PlaceholderOf<V> = (name: keyof V & string) => Placeholder;

const DIALECT = new PgDialect();

/**
 * Creates a statement that requests run again and again. Its text is built on first use, and only filled in later: rebuilding it each time
 * leaves more to the garbage collector than the rest of a request does.
 *
 * @param write writes it; each variable value is written as its `param`.
 * @returns a function that runs it with values; it has started when the function returns.
 */
export function createStatement<V extends Row, R extends Row = Row>(
  write: (param: PlaceholderOf<V>) => SQLWrapper,
): (db: Executes, values: V) => Promise<StatementResult<R>> {
  let built: Query | undefined;
  return async (db, values) => {
    built ??= DIALECT.sqlToQuery(write((name) => sql.placeholder(name)).getSQL());
    const statement = new BuiltSql(built.sql, fillPlaceholders(built.params, values));
    return (await db.execute(statement)) as StatementResult<R>;
  };
}

/** Returns a query as a statement that can be sent together with others (see `Store.together`). */
export function buildSql(query: SQLWrapper): BuiltSql {
  const { sql: text, params } = DIALECT.sqlToQuery(query.getSQL());
  return new BuiltSql(text, params);
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
