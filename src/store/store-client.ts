import pg from 'pg';
import {
  PreparedStatements,
  StoreQuery,
  type StoreQueryOptions,
  type StoreResult,
  type Settle,
  type Submission,
} from './store-query.ts';

/** Configuration of a client of the store. */
export type StoreClientConfig = pg.ClientConfig & {
  /** Called with each failed statement, before its sender. */
  readonly onFailure?: (error: Error) => void;
};

/** Maximum delay of a timer. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * The driver's client with queries and deadlines of its own: a query without an answer within `query_timeout` milliseconds rejects, and its
 * connection becomes unusable.
 *
 * The driver's deadline, and its promises, assign a function literal to a member of the query. V8 moves such functions to the old
 * generation, and everything they reference stays with them until a full garbage collection: the values and the rows of every query.
 */
export class StoreClient extends pg.Client {
  readonly #prepared: PreparedStatements;
  readonly #deadlineMs: number;
  readonly #onFailure: (error: Error) => void;
  #isReady = true;
  /** The error of a late query; later queries get it too. */
  #lateness: Error | undefined;

  /**
   * @param maxPrepared maximum number of prepared statements.
   * @throws RangeError unless `query_timeout` is a number of milliseconds that a timer can wait.
   */
  constructor(
    { query_timeout: deadlineMs = 0, onFailure = ignore, ...config }: StoreClientConfig = {},
    maxPrepared = 0,
  ) {
    super(config);
    this.#prepared = new PreparedStatements(maxPrepared);
    this.#deadlineMs = readDeadline(deadlineMs);
    this.#onFailure = onFailure;
    this.on('drain', () => {
      this.#isReady = true;
    });
  }

  /** True when nothing is under way and, as far as PostgreSQL has reported, no transaction is open. */
  get isAtRest(): boolean {
    return this.#isReady && this.isOutside;
  }

  /** True when no transaction is open, as far as PostgreSQL has reported. */
  get isOutside(): boolean {
    return this.getTransactionStatus() === 'I';
  }

  // pg.Client has many overloads; all take a query, or the parts of one, with a callback or a promise.
  override query = ((...asked: readonly unknown[]): unknown => {
    if (isSubmittable(asked[0])) return Reflect.apply(super.query, this, asked);
    const options = readQuery(asked);
    const callback = asked.find((given) => typeof given === 'function');
    if (callback !== undefined) {
      this.#ask(options, callback as Settle<StoreResult>);
      return undefined;
    }
    const { promise, resolve, reject } = Promise.withResolvers<StoreResult | undefined>();
    const settle: Settle<StoreResult> = (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    };
    this.#ask(options, settle);
    return promise;
  }) as pg.Client['query'];

  /** Creates a query for `submit`. Throws TypeError for a value that cannot be sent. */
  createQuery(options: StoreQueryOptions, settle: Settle<StoreResult>): StoreQuery {
    return new StoreQuery(options, this.#prepared, settle);
  }

  /** Submits the query of `create`, which calls `end` when it is answered; `settle` is called then, or when the connection fails. */
  submit<T>(create: (end: Settle<T>) => Submission, settle: Settle<T>): void {
    if (this.#lateness !== undefined) {
      process.nextTick(settle, this.#lateness);
      return;
    }
    const submission = create(this.#limit(settle));
    this.#isReady = false;
    super.query(submission);
  }

  #ask(options: StoreQueryOptions, settle: Settle<StoreResult>): void {
    this.submit<StoreResult>((end) => this.createQuery(options, end), settle);
  }

  #limit<T>(settle: Settle<T>): Settle<T> {
    const deadlineMs = this.#deadlineMs;
    let isOver = false;
    const end: Settle<T> = (error, result) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      if (error !== null) this.#onFailure(error);
      settle(error, result);
    };
    const giveUp = (): void => {
      this.#lateness = new Error(`no answer within ${deadlineMs} ms`);
      end(this.#lateness);
      this.connection.stream.destroy();
    };
    const timer = deadlineMs > 0 ? setTimeout(giveUp, deadlineMs) : undefined;
    return end;
  }
}

/** Takes a connection from a pool of `StoreClient`. */
export async function connectTo(pool: pg.Pool): Promise<StoreClient & pg.PoolClient> {
  const client = await pool.connect();
  if (client instanceof StoreClient) return client;
  client.release();
  throw new TypeError('the pool has clients of another class');
}

/** Reads a deadline in milliseconds; 0 means no deadline. @throws RangeError unless a timer can wait that long. */
export function readDeadline(given: number | string): number {
  const deadlineMs = Number(given);
  if (deadlineMs >= 0 && deadlineMs <= LONGEST_MS) return deadlineMs;
  throw new RangeError(`query_timeout is ${given}; must be a number of milliseconds from 1 to ${LONGEST_MS}`);
}

function isSubmittable(asked: unknown): boolean {
  return typeof asked === 'object' && asked !== null && 'submit' in asked;
}

type AskedQuery = pg.QueryConfig & { readonly rowMode?: string };

/** Reads the arguments of `pg.Client.query`: a text or an object with it, and values. */
export function readQuery([asked, values]: readonly unknown[]): StoreQueryOptions {
  const { rowMode, ...config } = typeof asked === 'string' ? { text: asked } : (asked as AskedQuery);
  const given = Array.isArray(values) ? values : config.values;
  return { ...config, values: given, hasArrayRows: rowMode === 'array' };
}

function ignore(): void {
  // Without a listener, only the sender sees a failure.
}
