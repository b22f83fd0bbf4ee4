import type { Placeholder, Query, SQLWrapper } from 'drizzle-orm';
import { fillPlaceholders, PgDialect, SQL, sql } from './drizzle.ts';

type Row = Record<string, unknown>;

/** PostgreSQL's answer to a statement. `rowCount`: number of changed or read rows. */
export type StatementResult<R extends Row = Row> = {
  readonly rows: readonly R[];
  readonly rowCount: number | null;
};

/** Runs statements: a store, a transaction, or a batch (see `Store.batched`). */
export type Executes = { readonly execute: (statement: BuiltSql) => PromiseLike<StatementResult> };

/** Runs statements whose results nobody needs: a transaction. */
export type Defers = {
  /**
   * Sends a statement with the next one of the transaction, or with its commit; if it fails, so does that one.
   * @throws TypeError for a value that cannot be sent.
   */
  readonly defer: (statement: BuiltSql) => void;
};

/** The placeholder of a value in the text of a statement. */
export type PlaceholderOf<V> = (name: keyof V & string) => Placeholder;

const DIALECT = new PgDialect();

/**
 * Creates a statement that requests run again and again. Its text is built once, on first use: building it each time would produce more
 * garbage than the rest of a request.
 *
 * @param write writes the statement; each variable value is written as its `param`.
 * @returns a function that starts the statement with values before it returns.
 */
export function createStatement<V extends Row, R extends Row = Row>(
  write: (param: PlaceholderOf<V>) => SQLWrapper,
): (db: Executes, values: V) => Promise<StatementResult<R>> {
  const build = createBuilder(write);
  return async (db, values) => (await db.execute(build(values))) as StatementResult<R>;
}

/** As `createStatement`, for a statement whose result nobody needs (see `Defers`). */
export function createWrite<V extends Row>(
  write: (param: PlaceholderOf<V>) => SQLWrapper,
): (tx: Defers, values: V) => void {
  const build = createBuilder(write);
  return (tx, values) => tx.defer(build(values));
}

/** As `createStatement`, but returns a function that only builds the statement. */
export function createBuilder<V extends Row>(
  write: (param: PlaceholderOf<V>) => SQLWrapper,
): (values: V) => BuiltSql {
  let built: Query | undefined;
  return (values) => {
    built ??= DIALECT.sqlToQuery(write((name) => sql.placeholder(name)).getSQL());
    return new BuiltSql(built.sql, fillPlaceholders(built.params, values));
  };
}

/** Returns a query as a statement for a batch or a deferral. */
export function buildSql(query: SQLWrapper): BuiltSql {
  const { sql: text, params } = DIALECT.sqlToQuery(query.getSQL());
  return new BuiltSql(text, params);
}

/** A statement whose text is complete. */
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
