import pg from 'pg';
import type { BuiltSql, Executes, StatementResult } from './statement.ts';

/** A connection of the driver, as far as the driver's own queries use it. */
type Connection = pg.Connection & { readonly submittedNamedStatements: Record<string, string> };

type Callback = (error: Error | null, result?: unknown) => void;

/** What the driver's client calls of a query; `@types/pg` has less of it. */
type DriverQuery = {
  readonly name?: string | undefined;
  readonly text: string;
  callback: Callback;
  submit(connection: Connection): Error | null;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
  handleError(error: Error, connection: Connection): void;
};

/** A client that keeps statements says under which name it keeps a text. */
export type NamingClient = pg.ClientBase & { readonly nameOf?: (text: string) => string | undefined };

const { TIMESTAMP, TIMESTAMPTZ, DATE, INTERVAL } = pg.types.builtins;
const AS_TEXT: ReadonlySet<number> = new Set([TIMESTAMP, TIMESTAMPTZ, DATE, INTERVAL]);

/** Drizzle reads instants from text: what comes through it and through a pipeline is alike. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: string) =>
    AS_TEXT.has(type) ? (value: string) => value : pg.types.getTypeParser(type, format as 'text'),
};

/**
 * Statements that go to PostgreSQL as one query of the driver: each is bound and executed, and the only Sync stands behind the last.
 * To PostgreSQL that is one transaction (protocol 3.0, "Pipelining"): with the first that fails nothing is done. All of them are told
 * what came of it when it is committed, or is not.
 */
export class Pipeline implements Executes, DriverQuery {
  readonly #client: NamingClient;
  readonly #queries: DriverQuery[] = [];
  /** How many of them have been answered. */
  #answered = 0;
  #hasFailed = false;
  #isUnderWay = false;
  /** The client's own: it is told of the end. */
  callback: Callback = () => undefined;

  constructor(client: NamingClient) {
    this.#client = client;
  }

  /** Adds a statement to those that `send` sends. */
  execute(statement: BuiltSql): Promise<StatementResult> {
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    const { sql: text, params: values } = statement.toQuery();
    // Without values the driver would send it as a simple query, which ends the transaction.
    const config = { text, values, name: this.#client.nameOf?.(text), types: TYPES, queryMode: 'extended' };
    const query = new pg.Query(config) as unknown as DriverQuery;
    query.callback = (error, result) => {
      this.#hasFailed ||= error !== null;
      if (error === null) resolve(result as StatementResult);
      else reject(error);
    };
    this.#queries.push(query);
    return promise;
  }

  send(): void {
    if (this.#queries.length > 0) this.#client.query(this);
  }

  /** The name and the text of the statement that is being answered: the client notes that it is parsed. */
  get name(): string | undefined {
    return this.#current?.name;
  }

  get text(): string {
    return this.#current?.text ?? '';
  }

  /** Whether PostgreSQL may still be busy with them, or wait for their end: the connection is of no use to anybody else then. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** A value that cannot be sent leaves the others without their end: then the connection goes, and with it what they have done. */
  submit(connection: Connection): null {
    const { stream } = connection;
    const withoutSync = Object.create(connection, { sync: { value: () => undefined } }) as Connection;
    this.#isUnderWay = true;
    stream.cork();
    for (const query of this.#queries) query.submit(withoutSync);
    if (this.#hasFailed) stream.destroy();
    else connection.sync();
    stream.uncork();
    return null;
  }

  handleRowDescription(message: unknown): void {
    this.#current?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#current?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    this.#current?.handleCommandComplete(message, connection);
    this.#answered += 1;
  }

  handleReadyForQuery(connection: Connection): void {
    this.#isUnderWay = false;
    for (const query of this.#queries) query.handleReadyForQuery(connection);
    this.callback(null);
  }

  /** PostgreSQL has skipped what came behind the failure: those statements are not parsed. */
  handleError(error: Error, connection: Connection): void {
    if (error instanceof pg.DatabaseError) this.#isUnderWay = false;
    for (const { name } of this.#queries.slice(this.#answered))
      if (name !== undefined) delete connection.submittedNamedStatements[name];
    for (const query of this.#queries) query.callback(error);
    this.callback(error);
  }

  get #current(): DriverQuery | undefined {
    return this.#queries[this.#answered];
  }
}
