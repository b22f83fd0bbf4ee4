import pg from 'pg';
import type { DriverCallback, DriverConnection, DriverQuery } from './driver.ts';

/** What the driver has read from its configuration and the address; of a false deadline there is none. */
type Settings = { query_timeout: number | string | false };

type TextQuery = DriverQuery & { name: string | undefined; readonly values: readonly unknown[] | undefined };

/**
 * The driver's client with deadlines of its own: a query that is not answered within `query_timeout` milliseconds rejects, and its
 * connection is of no use any more.
 *
 * The driver's deadline, and its promises, assign a function literal to a member of the query. V8 puts such functions among the objects
 * that live long, and all that they can see stays with them until all memory is gone through: the values and the rows of every query.
 */
export class StoreClient extends pg.Client {
  readonly #deadlineMs: number;

  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connectionParameters } = this as unknown as { readonly connectionParameters: Settings };
    this.#deadlineMs = Number(connectionParameters.query_timeout);
    connectionParameters.query_timeout = false;
  }

  // The overloads of pg.Client are many; what they come to is a query that calls back.
  override query = ((...asked: QueryArguments): unknown => {
    const [config] = asked;
    const query = isQuery(config) ? config : this.#newQuery(asked);
    const answer = isAnswered(query) ? undefined : promiseOf(query);
    if (this.#deadlineMs > 0) this.#limit(query, this.#deadlineMs);
    super.query(query);
    return answer;
  }) as unknown as pg.Client['query'];

  /** The name under which the connection keeps a statement prepared; undefined where it does not. */
  nameOf(_text: string): string | undefined {
    return undefined;
  }

  #newQuery(asked: QueryArguments): DriverQuery {
    const query = new pg.Query(...asked) as unknown as TextQuery;
    if (!query.name && query.values?.length) query.name = this.nameOf(query.text);
    return query;
  }

  #limit(query: DriverQuery, deadlineMs: number): void {
    const tell = query.callback;
    const giveUp = (): void => {
      const { connection } = this as unknown as { readonly connection: DriverConnection };
      query.handleError(new Error(`no answer within ${deadlineMs} ms`), connection);
      query.callback = ignore;
      connection.stream.destroy();
    };
    const timer = setTimeout(giveUp, deadlineMs);
    const settle: DriverCallback = (error, result) => {
      clearTimeout(timer);
      tell(error, result);
    };
    query.callback = settle;
  }
}

type QueryArguments = [config?: DriverQuery | string, values?: unknown[], callback?: () => void];

function isQuery(config: DriverQuery | string | undefined): config is DriverQuery {
  return typeof config === 'object' && 'submit' in config;
}

/** Whether somebody is called back already. */
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
  // The caller was told that the query is late.
}
