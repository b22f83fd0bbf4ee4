import type { Placeholder, Query, SQLWrapper } from 'drizzle-orm';
import { fillPlaceholders, PgDialect, SQL, sql } from './drizzle.ts';
import type { StoreTransaction } from './open-store.ts';

type Executes = Pick<StoreTransaction, 'execute'>;
type Row = Record<string, unknown>;

/** The place of a value in the text of a statement. */
export type PlaceOf<V> = (name: keyof V & string) => Placeholder;

const DIALECT = new PgDialect();

/**
 * A statement that requests carry out again and again. Its text is built when it is first wanted, and then only filled: to build
 * it anew each time leaves more to the garbage collector than the rest of a request does.
 *
 * @param write writes it; each value that differs from time to time stands where its `place` is.
 * @returns what carries it out with values.
 */
export function createStatement<V extends Row, R extends Row = Row>(
  write: (place: PlaceOf<V>) => SQLWrapper,
) {
  let built: Query | undefined;
  return (db: Executes, values: V) => {
    built ??= DIALECT.sqlToQuery(write((name) => sql.placeholder(name)).getSQL());
    return db.execute<R>(new BuiltSql(built.sql, fillPlaceholders(built.params, values)));
  };
}

/** A statement that is text already. */
class BuiltSql extends SQL {
  readonly #query: Query;

  constructor(text: string, params: unknown[]) {
    super([]);
    this.#query = { sql: text, params };
  }

  override toQuery(): Query {
    return this.#query;
  }
}
