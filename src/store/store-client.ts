import pg from 'pg';
import type { DriverCallback, DriverConnection, DriverQuery } from './driver.ts';

/** Configuration of a client of the store. */
export type StoreClientConfig = pg.ClientConfig & {
  /** Called with each failed statement, before its sender. */
  readonly onFailure?: (error: Error) => void;
};

/** Maximum delay of a timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** The driver's settings from its configuration and the address; false means no deadline. */
type Settings = { query_timeout: number | string | false };

type TextQuery = DriverQuery & { name: string | undefined; readonly values: readonly unknown[] | undefined };

/**
 * The driver's client with deadlines of its own: a query that is not answered within `query_timeout` milliseconds rejects, and its
 * connection cannot be used any more.
 *
 * The driver's deadline, and its promises, assign a function literal to a member of the query. V8 moves such functions to the old
 * generation, and everything they reference stays with them until a full garbage collection: the values and the rows of every query.
 */
export class StoreClient extends pg.Client {
  readonly #deadlineMs: number;
  readonly #onFailure: (error: Error) => void;
  /** The error of a late query, which later ones get too. */
  #lateness: Error | undefined;

  /** @throws RangeError unless `query_timeout` is a number of milliseconds that a timer can wait. */
  constructor(config?: StoreClientConfig) {
    super(config);
    this.#onFailure = config?.onFailure ?? ignore;
    const { connectionParameters } = this as unknown as { readonly connectionParameters: Settings };
    this.#deadlineMs = readDeadline(connectionParameters.query_timeout);
    connectionParameters.query_timeout = false;
  }

  // pg.Client has many overloads; all amount to a query with a callback.
  override query = ((...asked: QueryArguments): unknown => {
    const query = this.#queryOf(asked);
    const answer = isAnswered(query) ? undefined : promiseOf(query);
    const lateness = this.#lateness;
    if (lateness !== undefined) {
      process.nextTick(() => query.handleError(lateness, this.#connection));
      return answer;
    }
    if (this.#deadlineMs > 0) this.#limit(query, this.#deadlineMs);
    super.query(query);
    return answer;
  }) as unknown as pg.Client['query'];

  /** Returns the name under which the connection keeps a statement prepared; undefined if it does not. */
  nameOf(_text: string): string | undefined {
    return undefined;
  }

  get #connection(): DriverConnection {
    return (this as unknown as { readonly connection: DriverConnection }).connection;
  }

  #queryOf(asked: QueryArguments): DriverQuery {
    const [config, ...others] = asked;
    if (isQuery(config)) {
      config.callback ??= others.find((given) => typeof given === 'function') as DriverCallback;
      return config;
    }
    const query = new pg.Query(...asked) as unknown as TextQuery;
    if (!query.name && query.values?.length) query.name = this.nameOf(query.text);
    return query;
  }

  #limit(query: DriverQuery, deadlineMs: number): void {
    const tell = query.callback;
    const giveUp = (): void => {
      this.#lateness = new Error(`no answer within ${deadlineMs} ms`);
      query.handleError(this.#lateness, this.#connection);
      query.callback = ignore;
      this.#connection.stream.destroy();
    };
    const timer = setTimeout(giveUp, deadlineMs);
    const onFailure = this.#onFailure;
    const settle: DriverCallback = (error, result) => {
      clearTimeout(timer);
      if (error !== null && error !== undefined) onFailure(error);
      tell(error, result);
    };
    query.callback = settle;
  }
}

type QueryArguments = [config?: DriverQuery | string, values?: unknown[], callback?: () => void];

function readDeadline(given: Settings['query_timeout']): number {
  const deadlineMs = Number(given);
  if (deadlineMs >= 0 && deadlineMs <= LONGEST_MS) return deadlineMs;
  throw new RangeError(`query_timeout is ${given}; it is a number of milliseconds from 1 to ${LONGEST_MS}`);
}

function isQuery(config: DriverQuery | string | undefined): config is DriverQuery {
  return typeof config === 'object' && 'submit' in config;
}

/** True when a callback is set already. */
function isAnswered({ callback }: { readonly callback: DriverCallback | undefined }): boolean {
  return callback !== undefined;
}

function promiseOf(query: DriverQuery): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers();
  const settle: DriverCallback = (error, result) => {
    if (error === null) resolve(result);
    else reject(error);
  };
  query.callback = settle;
  return promise;
}

function ignore(): void {
  // The caller already has the timeout error, or nobody wants the result.
}
