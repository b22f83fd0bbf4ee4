import type { Logger } from 'pino';
import { type ErrorName, errorEntry } from '../../../generated/errors.ts';
import type { RequestRow } from '../../account/requests/request-store.ts';
import type { Clock } from '../../core/clock.ts';
import type { RequestMark } from '../../core/request-id.ts';
import { createBatchWriter } from './batch-writer.ts';

/** A request as it is noted. */
export type NotedRequest = Omit<RequestRow, 'accountId' | 'atMs' | 'requestId' | 'protocol' | 'network'>;

/** Requests that the log does not have, by the bound that they exceeded; `store`: it did not accept them. */
export type Dropped = Record<'rate' | 'error_rate' | 'total_rate' | 'waiting' | 'store', number>;

export type RequestLogOptions = {
  /** Rows a second: of an account, those of its errors, and of all accounts together. */
  readonly rowsPerSecond: number;
  readonly errorsPerSecond: number;
  readonly totalPerSecond: number;
  /** True if the params of an account's ledger calls are kept now. */
  readonly keepsParams: (accountId: string, nowMs: number) => boolean;
  /** Stores a batch, all of it or nothing, once. @returns the number of rows that could not be added. */
  readonly write: (number: number, rows: readonly RequestRow[]) => Promise<number>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Maximum number of rows in memory, including those that the store has not accepted yet. Default 20,000: about 10 MB. */
  readonly maxWaiting?: number;
  /** Interval between stores. Default 1,000 ms. */
  readonly intervalMs?: number;
};

/** The log of single requests, for all protocols. */
export type RequestLog = {
  /**
   * True if a request of an account that has just ended is to be noted: its row is only made then. Each call counts towards the rows of
   * this second.
   */
  readonly wants: (accountId: string, isError: boolean) => boolean;
  /** Adds a request that is wanted. */
  readonly note: (accountId: string, mark: RequestMark, request: NotedRequest) => void;
  /** True if the params of an account's ledger calls are kept. */
  readonly keepsParams: (accountId: string) => boolean;
  /** Requests since the start that are not in the log. */
  readonly dropped: Readonly<Dropped>;
  /** Returns the number of rows in memory that are not stored yet. */
  readonly waiting: () => number;
  /** Stores everything noted so far. Rejects with the store's error; nothing is lost by that. */
  readonly flush: () => Promise<void>;
  /** Stores the remaining rows, within 5 s. Never rejects; may be called twice. */
  readonly close: () => Promise<void>;
};

const INTERVAL_MS = 1_000;
const MAX_WAITING = 20_000;
const SECOND_MS = 1_000;

type Taken = { rows: number; errors: number };

/**
 * Keeps the first requests of each second, in memory, and stores them in batches. Errors have a bound of their own: whoever makes many
 * does not hide the requests that succeed. What exceeds a bound is counted and left out.
 */
export function createRequestLog(options: RequestLogOptions): RequestLog {
  const { rowsPerSecond, errorsPerSecond, totalPerSecond, write, clock, log } = options;
  const { maxWaiting = MAX_WAITING, intervalMs = INTERVAL_MS } = options;
  // Plain additions: a metric with labels costs ten times as much per request.
  const dropped: Dropped = { rate: 0, error_rate: 0, total_rate: 0, waiting: 0, store: 0 };
  const rows: RequestRow[] = [];
  let secondMs = 0;
  let takenByAll = 0;
  let taken = new Map<string, Taken>();
  const writer = createBatchWriter<RequestRow>({
    take: () => rows.splice(0),
    what: 'the log of requests',
    intervalMs,
    log,
    write: async (number, batch) => {
      dropped.store += await write(number, batch);
    },
  });
  const waiting = (): number => writer.rows() + rows.length;
  const startSecond = (nowMs: number): void => {
    secondMs = nowMs - (nowMs % SECOND_MS);
    takenByAll = 0;
    if (taken.size > 0) taken = new Map();
  };
  const takenBy = (accountId: string): Taken => {
    const known = taken.get(accountId);
    if (known !== undefined) return known;
    const none = { rows: 0, errors: 0 };
    taken.set(accountId, none);
    return none;
  };
  const wants = (accountId: string, isError: boolean): boolean => {
    const nowMs = clock.nowMs();
    if (nowMs >= secondMs + SECOND_MS || nowMs < secondMs) startSecond(nowMs);
    const own = takenBy(accountId);
    if (isError ? own.errors >= errorsPerSecond : own.rows >= rowsPerSecond)
      return drop(isError ? 'error_rate' : 'rate');
    if (takenByAll >= totalPerSecond) return drop('total_rate');
    if (waiting() >= maxWaiting) return drop('waiting');
    takenByAll++;
    if (isError) own.errors++;
    else own.rows++;
    return true;
  };
  const drop = (reason: keyof Dropped): false => {
    dropped[reason]++;
    return false;
  };
  const close = async (): Promise<void> => {
    const left = await writer.close();
    if (left.length === 0) return;
    log.error(
      { requests: left.length },
      'the log lacks these requests: the store did not accept them in time',
    );
    dropped.store += left.length;
  };
  let closing: Promise<void> | undefined;
  return {
    wants,
    note: (accountId, { id, protocol, network }, request) => {
      rows.push({ accountId, atMs: clock.nowMs(), requestId: id, protocol, network, ...request });
    },
    keepsParams: (accountId) => options.keepsParams(accountId, clock.nowMs()),
    dropped,
    waiting,
    flush: writer.flush,
    close: () => (closing ??= close()),
  };
}

/** The holder of an API key whose request was refused. */
type RefusedCaller = {
  readonly keyId: string;
  readonly accountId: string;
  readonly mark?: RequestMark | undefined;
};

/** A request, or one message of it, that was answered with an error before it became a call. */
type Refused = {
  readonly method: string;
  readonly error: ErrorName;
  readonly bytesIn?: number | undefined;
  /** True if it was one of several, which are answered with status 200. */
  readonly isOfBatch?: boolean;
};

/** Notes a request of an API key that was refused before it became a call. */
export function noteRefused(
  requests: RequestLog | undefined,
  { keyId, accountId, mark }: RefusedCaller,
  { method, error, bytesIn, isOfBatch = false }: Refused,
): void {
  if (requests === undefined || mark === undefined || !requests.wants(accountId, true)) return;
  requests.note(accountId, mark, {
    method,
    callerKind: 'key',
    callerId: keyId,
    bytesIn,
    ...loggedError(error, mark, isOfBatch),
  });
}

/** Returns how the log names an error of this server, and the status that it is answered with over HTTP. */
export function loggedError(
  error: ErrorName,
  { protocol }: RequestMark,
  isOfBatch: boolean,
): Pick<NotedRequest, 'status' | 'error' | 'rpcCode'> {
  const { http, jsonrpc } = errorEntry(error);
  return {
    status: protocol === 'json_rpc' ? (isOfBatch ? 200 : http) : undefined,
    error: loggedCode(error),
    rpcCode: protocol === 'grpc' ? undefined : jsonrpc?.code,
  };
}

/** Returns the code under which the log has an error: that of its problem, where it has one. */
function loggedCode(error: ErrorName): string {
  return errorEntry(error).problem?.code ?? error.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Most characters of the params of a call that are kept. */
const MAX_PARAMS = 4_096;

/** Returns the beginning of the params of a call. */
export function loggedParams({ raw, paramsAt }: LoggedCall): string | undefined {
  if (paramsAt === undefined) return undefined;
  return raw.toString('utf8', paramsAt.start, paramsAt.end).slice(0, MAX_PARAMS).toWellFormed();
}

type LoggedCall = {
  readonly raw: Buffer;
  readonly paramsAt: { readonly start: number; readonly end: number } | undefined;
};
