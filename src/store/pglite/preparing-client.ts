import pg from 'pg';

/** How many statements one connection keeps prepared. The store has about as many texts; others are parsed each time. */
const MAX_STATEMENTS = 256;

type Query = { readonly text: string; readonly name?: string | undefined };

/**
 * A client that prepares each statement with parameters when it is first seen, and only binds it afterwards: parsing and planning
 * cost the embedded PostgreSQL more than carrying out most statements of the store.
 */
export class PreparingClient extends pg.Client {
  readonly #names = new Map<string, string>();

  // The overloads of pg.Client are many; what is passed on is what came, with a name.
  override query = ((query: unknown, ...rest: unknown[]) =>
    (super.query as (...all: unknown[]) => unknown)(
      this.#named(query, rest),
      ...rest,
    )) as unknown as pg.Client['query'];

  #named(query: unknown, [values]: readonly unknown[]): unknown {
    if (!Array.isArray(values) || values.length === 0) return query;
    const { text, ...others } = (typeof query === 'string' ? { text: query } : query) as Query;
    // An empty name is none.
    if (others.name) return query;
    const name = this.nameOf(text);
    return name === undefined ? query : { ...others, text, name };
  }

  /** The name under which the connection keeps a text; undefined where it keeps no more. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= MAX_STATEMENTS) return known;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
