import pg from 'pg';
import type { BuiltSql, Executes, StatementResult } from './statement.ts';
import type { StoreClient } from './store-client.ts';
import type { StoreQuery, StoreResult } from './store-query.ts';
import type { CommandComplete, DataRow, RowDescription, Settle, Submission } from './submission.ts';

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
export class Pipeline implements Executes, Submission {
  readonly #client: StoreClient;
  readonly #queries: StoreQuery[] = [];
  /** Number of answered statements. */
  #answered = 0;
  #isSent = false;
  #isUnderWay = false;
  #end: Settle = () => undefined;

  constructor(client: StoreClient) {
    this.#client = client;
  }

  /** Adds a statement to those that `send` sends. Rejects if they are sent already, or if a value cannot be sent. */
  async execute(statement: BuiltSql): Promise<StatementResult> {
    if (this.#isSent) throw new Error('a statement that is begun too late to go together with the others');
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    const { sql: text, params: values } = statement.toQuery();
    const settle: Settle<StoreResult> = (error, result) => {
      if (error === null) resolve(result as StatementResult);
      else reject(error);
    };
    this.#queries.push(this.#client.createQuery({ text, values, types: TYPES }, settle));
    return promise;
  }

  send(): void {
    this.#isSent = true;
    if (this.#queries.length === 0) return;
    this.#isUnderWay = true;
    this.#client.submit(
      (end) => this.#begin(end),
      (error) => this.#settle(error),
    );
  }

  /** True while PostgreSQL may still be busy with them, or wait for their end: nobody else can use the connection then. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  submit(connection: pg.Connection): void {
    connection.stream.cork();
    for (const query of this.#queries) query.write(connection);
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription(message: RowDescription): void {
    this.#current?.handleRowDescription(message);
  }

  handleDataRow(message: DataRow): void {
    this.#current?.handleDataRow(message);
  }

  handleCommandComplete(message: CommandComplete): void {
    this.#current?.handleCommandComplete(message);
    this.#answered += 1;
  }

  handleEmptyQuery(): void {
    this.#current?.handleEmptyQuery();
    this.#answered += 1;
  }

  /** On a connection that was left in a transaction nothing is committed. */
  handleReadyForQuery(): void {
    if (!this.#client.isOutside) {
      this.handleError(new Error('the connection is in a transaction'));
      return;
    }
    this.#isUnderWay = false;
    this.#end(null);
  }

  handleError(error: Error): void {
    if (error instanceof pg.DatabaseError && error.severity === 'ERROR' && this.#client.isOutside)
      this.#isUnderWay = false;
    this.#end(error);
  }

  #begin(end: Settle): this {
    this.#end = end;
    return this;
  }

  #settle(error: Error | null): void {
    for (const query of this.#queries) {
      if (error === null) query.handleReadyForQuery();
      else query.handleError(error);
    }
  }

  get #current(): StoreQuery | undefined {
    return this.#queries[this.#answered];
  }
}
