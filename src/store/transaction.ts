import { setImmediate as turnOver } from 'node:timers/promises';
import type { NodePgDatabase as Database } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { NodePgDatabase, NodePgSession, PgDialect } from './drizzle.ts';
import type { BuiltSql, Defers, Executes, StatementResult } from './statement.ts';
import { connectTo, readQuery, type StoreClient } from './store-client.ts';
import type {
  CommandComplete,
  DataRow,
  RowDescription,
  Settle,
  StoreQuery,
  StoreQueryOptions,
  StoreResult,
  Submission,
} from './store-query.ts';

/**
 * A transaction of the store: everything done through it is committed together, or not at all. Statements that begin in one turn of the event
 * loop travel together, in that order; each deferred one travels with the next statement, or with the commit.
 */
export type StoreTransaction = Omit<Database, 'transaction'> & Defers;

/**
 * Runs a transaction on its own connection, which returns to the pool if nothing of the transaction is left on it. It begins with the first
 * statement of `work`.
 *
 * @throws any error of `work`, or PostgreSQL's error for a statement, deferred ones included: nothing is committed then. If PostgreSQL's
 *   answer to the commit is late or lost, the outcome is unknown.
 */
export async function runTransaction<T>(
  pool: pg.Pool,
  work: (tx: StoreTransaction) => Promise<T>,
): Promise<T> {
  const client = await connectTo(pool);
  const groups = new TransactionGroups(client);
  try {
    const result = await work(new TransactionDatabase(groups));
    await groups.commit();
    return result;
  } catch (error) {
    await groups.rollBack();
    throw error;
  } finally {
    client.release(!client.isAtRest);
  }
}

/** Begins statements and returns the promises of their results. */
export type BeginBatch<T extends readonly unknown[]> = (db: Executes) => {
  readonly [K in keyof T]: Promise<T[K]>;
};

/**
 * Runs statements in one round trip to the store, whatever their number, in one transaction. They are all sent before the first is
 * answered, in the order in which they begin.
 *
 * @returns the results that `begin` promises, when all is committed.
 * @throws an error of `begin`, or a rejection of one of its promises before anything is sent, or PostgreSQL's error for the first statement
 *   that fails: nothing is done then. If PostgreSQL's answer is late or lost, the outcome is unknown.
 */
export async function sendBatched<T extends readonly unknown[]>(
  pool: pg.Pool,
  begin: BeginBatch<T>,
): Promise<T> {
  const client = await connectTo(pool);
  const group = new StatementGroup(client);
  try {
    const all = Promise.all(begin(group));
    // Promises that fail by themselves have done so by the end of this turn of the event loop.
    await Promise.race([all, turnOver()]);
    group.send();
    const results = (await all) as unknown as T;
    if (!client.isOutside) throw new Error('the connection is in a transaction');
    return results;
  } finally {
    client.release(group.isUnderWay || !client.isOutside);
  }
}

const { TIMESTAMP, TIMESTAMPTZ, DATE, INTERVAL } = pg.types.builtins;
const AS_TEXT: ReadonlySet<number> = new Set([TIMESTAMP, TIMESTAMPTZ, DATE, INTERVAL]);

/** Drizzle reads instants from text, so the results of a statement are the same through it. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: string) =>
    AS_TEXT.has(type) ? (value: string) => value : pg.types.getTypeParser(type, format as 'text'),
};

function toOptions(statement: BuiltSql): StoreQueryOptions {
  const { sql: text, params: values } = statement.toQuery();
  return { text, values, types: TYPES };
}

const DIALECT = new PgDialect();

/** Drizzle's way to run statements, within a transaction. */
class TransactionDatabase extends NodePgDatabase implements Defers {
  readonly #groups: TransactionGroups;

  constructor(groups: TransactionGroups) {
    // Drizzle calls nothing else of a client.
    const client = groups as Pick<TransactionGroups, 'query'> as pg.PoolClient;
    super(DIALECT, new NodePgSession(client, DIALECT, undefined), undefined);
    this.#groups = groups;
  }

  defer(statement: BuiltSql): void {
    this.#groups.defer(toOptions(statement));
  }
}

/** The statements of a transaction, in groups, the first of which begins it. */
class TransactionGroups {
  readonly #client: StoreClient;
  #next: StatementGroup;
  #isScheduled = false;
  #isBegun = false;

  constructor(client: StoreClient) {
    this.#client = client;
    this.#next = new StatementGroup(client);
    this.defer({ text: 'begin' });
  }

  /** Adds a statement to the next group, which is sent when everything that runs now waits. */
  async query(...asked: readonly unknown[]): Promise<StoreResult> {
    const result = this.#next.add(readQuery(asked));
    if (!this.#isScheduled) process.nextTick(() => this.#send());
    this.#isScheduled = true;
    return result;
  }

  /** Adds a statement to the next group, which fails with it. @throws TypeError for a value that cannot be sent. */
  defer(options: StoreQueryOptions): void {
    this.#next.add(options).catch(() => undefined);
  }

  /** @throws Error if nothing was committed, because an earlier statement had failed. */
  async commit(): Promise<void> {
    const { command } = await this.query('commit');
    this.#next.drop();
    if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed');
  }

  /** Never rejects: without an answer the client is not at rest. */
  async rollBack(): Promise<void> {
    this.#next.drop();
    if (this.#isBegun) await this.#client.query('rollback').catch(() => undefined);
  }

  #send(): void {
    if (!this.#next.send()) return;
    this.#next = new StatementGroup(this.#client);
    this.#isScheduled = false;
    this.#isBegun = true;
  }
}

/**
 * Sends statements to PostgreSQL as one query of the driver: each is bound and executed, and a single Sync follows the last. Outside a
 * transaction, that is one for PostgreSQL (protocol 3.0, "Pipelining"). If one fails, the rest are skipped, and all reject with its error.
 */
class StatementGroup implements Executes, Submission {
  readonly #client: StoreClient;
  readonly #queries: StoreQuery[] = [];
  /** Number of answered statements. */
  #answered = 0;
  #isOver = false;
  #isUnderWay = false;
  #end: Settle = () => undefined;

  constructor(client: StoreClient) {
    this.#client = client;
  }

  /** Adds a statement to those that `send` sends. @throws Error if that is over, TypeError for a value that cannot be sent. */
  add(options: StoreQueryOptions): Promise<StoreResult> {
    if (this.#isOver) throw new Error('the statement began too late: the others are sent, or given up');
    const { promise, resolve, reject } = Promise.withResolvers<StoreResult>();
    const settle: Settle<StoreResult> = (error, result) => {
      if (error === null) resolve(result as StoreResult);
      else reject(error);
    };
    this.#queries.push(this.#client.createQuery(options, settle));
    return promise;
  }

  async execute(statement: BuiltSql): Promise<StatementResult> {
    return (await this.add(toOptions(statement))) as unknown as StatementResult;
  }

  /** Sends them once. @returns false if they were sent or dropped before, or there are none. */
  send(): boolean {
    if (this.#isOver || this.#queries.length === 0) return false;
    this.#isOver = true;
    this.#isUnderWay = true;
    this.#client.submit(
      (end) => this.#begin(end),
      (error) => this.#settle(error),
    );
    return true;
  }

  /** Never sends them: nobody waits for them any more. Refuses those that begin later. */
  drop(): void {
    this.#isOver = true;
  }

  /** True while PostgreSQL may still be busy with them: nothing else can use the connection then. */
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

  handleReadyForQuery(): void {
    this.#isUnderWay = false;
    this.#end(null);
  }

  handleError(error: Error): void {
    if (error instanceof pg.DatabaseError && error.severity === 'ERROR') this.#isUnderWay = false;
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
