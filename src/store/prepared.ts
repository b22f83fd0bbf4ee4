import type { Store } from './open-store.ts';

type Db = Store['db'];

/**
 * A query that requests carry out again and again, outside transactions: it is built once for each store that is opened.
 *
 * @param prepare builds it with places (`sql.placeholder`) for its values, and prepares it without a name.
 */
export function createPrepared<Q extends object>(prepare: (db: Db) => Q): (db: Db) => Q {
  const known = new WeakMap<Db, Q>();
  return (db) => {
    const query = known.get(db) ?? prepare(db);
    known.set(db, query);
    return query;
  };
}
