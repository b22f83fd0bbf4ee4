import pg from 'pg';
import {
  type DriverCallback,
  type DriverClient,
  type DriverConnection,
  type DriverQuery,
  isOutside,
} from './driver.ts';
import type { BuiltSql, Executes, StatementResult } from './statement.ts';

const { TIMESTAMP, TIMESTAMPTZ, DATE, INTERVAL } = pg.types.builtins;
const AS_TEXT: ReadonlySet<number> = new Set([TIMESTAMP, TIMESTAMPTZ, DATE, INTERVAL]);

/** Drizzle reads instants from text, so results through it and through a pipeline are the same. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: string) =>
    AS_TEXT.has(type) ? (value: string) => value : pg.types.getTypeParser(type, format as 'text'),
};

/**
 * Sends statements to PostgreSQL as one query of the driver: each is bound and executed, and the only Sync follows the last. To PostgreSQL
 * that is one transaction (protocol 3.0, "Pipelining"): if one fails, nothing is done. All of them settle once it is committed, or is not.
 */
export class Pipeline implements Executes, DriverQuery {
  readonly #client: DriverClient;
  readonly #queries: DriverQuery[] = [];
  /** Number of answered statements. */
  #answered = 0;
  #isSent = false;
  #hasFailed = false;
  #isUnderWay = false;
  /** Set by the client, which is called at the end. */
  callback: DriverCallback = () => undefined;

  constructor(client: DriverClient) {
    this.#client = client;
  }

  /** Adds a statement to those that `send` sends. Rejects if they are sent already. */
  async execute(statement: BuiltSql): Promise<StatementResult> {
    if (this.#isSent) throw new Error('a statement that is begun too late to go together with the others');
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    const { sql: text, params: values } = statement.toQuery();
    // Without values the driver would send it as a simple query, which ends the transaction.
    const config = { text, values, name: this.#client.nameOf?.(text), types: TYPES, queryMode: 'extended' };
    const query = new pg.Query(config) as unknown as DriverQuery;
    const settle: DriverCallback = (error, result) => {
      this.#hasFailed ||= error !== null;
      if (error === null) resolve(result as StatementResult);
      else reject(error);
    };
    // Not at once: see StoreClient.
    query.callback = settle;
    this.#queries.push(query);
    return promise;
  }

  send(): void {
    this.#isSent = true;
    if (this.#queries.length === 0) return;
    this.#isUnderWay = true;
    this.#client.query(this);
  }

  /** The name and the text of the statement that is being answered: the client notes that it is parsed. */
  get name(): string | undefined {
    return this.#current?.name;
  }

  get text(): string {
    return this.#current?.text ?? '';
  }

  /** True while PostgreSQL may still be busy with them, or wait for their end: nobody else can use the connection then. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** A value that cannot be sent leaves the others without their Sync: the connection is then dropped, and their work with it. */
  submit(connection: DriverConnection): null {
    const { stream } = connection;
    const withoutSync = Object.create(connection, { sync: { value: () => undefined } }) as DriverConnection;
    stream.cork();
    for (const query of this.#queries) {
      const error = query.submit(withoutSync);
      if (error !== null) query.callback(error);
    }
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

  handleCommandComplete(message: unknown, connection: DriverConnection): void {
    this.#current?.handleCommandComplete(message, connection);
    this.#answered += 1;
  }

  handleEmptyQuery(connection: DriverConnection): void {
    this.#current?.handleEmptyQuery(connection);
    this.#answered += 1;
  }

  /** On a connection that was left in a transaction nothing is committed. */
  handleReadyForQuery(connection: DriverConnection): void {
    if (!isOutside(this.#client)) {
      this.handleError(new Error('the connection is in a transaction'), connection);
      return;
    }
    this.#isUnderWay = false;
    for (const query of this.#queries) query.handleReadyForQuery(connection);
    this.callback(null);
  }

  /** PostgreSQL has skipped the statements after the failure: they are not parsed. */
  handleError(error: Error, connection: DriverConnection): void {
    if (error instanceof pg.DatabaseError && error.severity === 'ERROR' && isOutside(this.#client))
      this.#isUnderWay = false;
    for (const { name } of this.#queries.slice(this.#answered))
      if (name !== undefined) delete connection.submittedNamedStatements[name];
    for (const query of this.#queries) query.callback(error);
    this.callback(error);
  }

  get #current(): DriverQuery | undefined {
    return this.#queries[this.#answered];
  }
}
