import { mistake, type SentLocalRequest } from '../../operate/admin/admin-request.ts';
import type { Ask, SentRequest } from '../../operate/admin/run-command.ts';
import type { Answer, CommandOperation, OperationRequest } from '../../operate/admin/serve-operation.ts';
import { type ListPosition, readCursor } from '../../core/read-page.ts';
import type { ServiceError } from '../../core/service-error.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../store/list-page.ts';
import type { GivenArguments } from '../read-arguments.ts';

/** The arguments of a command, and when it was given. */
export type Given = GivenArguments & { readonly nowMs: number };

/** The request of a command, and the forms of its result. */
export type Action = {
  readonly request: SentRequest;
  /** Returns the result, which `--json` prints, from the answer to the request. It may ask more. */
  readonly toResult: (answer: unknown, ask: Ask) => unknown;
  /** Returns the text of the result for people. */
  readonly describe: (result: unknown) => string;
  /** Set for a list: the member of the result that contains its entries. */
  readonly list?: string;
  /** Set for a list that can be followed (`--follow`): returns an entry as a line for people. Entries have an `id` and an `at`. */
  readonly toLine?: (entry: unknown) => string;
  /** Returns the error of this command for a refusal by the account service. */
  readonly toMistake?: (error: ServiceError) => Error;
};

/** Creates an action that calls an operation of the account service. */
export function operation<O extends CommandOperation, R>(
  request: OperationRequest<O>,
  toResult: (answer: Answer<O>, ask: Ask) => R | Promise<R>,
  describe: (result: R) => string,
): Action {
  // The answer is that of the operation, and the result what `toResult` returns.
  return { request, toResult, describe } as unknown as Action;
}

/** Creates an action whose request has no form over HTTP: its answer is the result. */
export function local<R>(request: SentLocalRequest, describe: (result: R) => string): Action {
  return { request, toResult: (answer) => answer, describe: describe as Action['describe'] };
}

/** Reads the page of `--limit` and `--cursor`. @throws ServiceError `invalidCommand`. */
export function readPage(
  { limit = String(DEFAULT_LIMIT), cursor }: Given['options'],
  isId: (id: string) => boolean,
): { readonly limit: number; readonly cursor?: string } {
  const count = readCount(String(limit));
  if (typeof count !== 'number' || count < 1 || count > MAX_LIMIT)
    throw mistake(`--limit must be a whole number from 1 to ${MAX_LIMIT}, got ${JSON.stringify(count)}`);
  if (cursor === undefined) return { limit: count };
  const position: ListPosition | undefined =
    typeof cursor === 'string' ? readCursor(cursor, isId) : undefined;
  if (position === undefined || typeof cursor !== 'string')
    throw mistake(`--cursor must be the next_cursor of a page of this list, got ${JSON.stringify(cursor)}`);
  return { limit: count, cursor };
}

/** Reads the first page of a list that `--since` and `--until` bound. @throws ServiceError `invalidCommand`. */
export function readSpanPage({ options, nowMs }: Given) {
  const [since, until] = (['since', 'until'] as const).map((name) =>
    options[name] === undefined ? undefined : new Date(readSince(name, options[name], nowMs)),
  );
  if (since !== undefined && until !== undefined && since >= until)
    throw mistake(`--since must be before --until, got ${since.toISOString()} and ${until.toISOString()}`);
  return {
    ...(since && { since: since.toISOString() }),
    ...(until && { until: until.toISOString() }),
    ...readPage(options, (id) => NUMBER.test(id)),
  };
}

/** Numbers of records and entries: positive, and below 2^63. */
const NUMBER = /^[1-9]\d{0,17}$/;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** True for an id such as that of an account or a token. */
export function isId(text: string): boolean {
  return ID.test(text);
}

/** Text that is not a whole number stays as it is, and is refused later. */
export function readCount(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** @throws ServiceError `invalidCommand` for a text that is not a duration. */
export function readDuration(name: string, options: Given['options']): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  const durationMs = parseDuration(String(text));
  if (durationMs !== undefined) return durationMs;
  throw mistake(`--${name} must be a duration such as 90s, 30m, 12h or 7d, got ${JSON.stringify(text)}`);
}

const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * Returns the instant of an option such as `--since`, in milliseconds: a duration counts back from now; ISO 8601 gives an instant in the
 * past, where a day begins at midnight UTC and a time has its offset.
 *
 * @throws ServiceError `invalidCommand`.
 */
export function readSince(option: string, value: unknown, nowMs: number): number {
  const text = String(value);
  const durationMs = parseDuration(text);
  if (durationMs !== undefined) return Math.max(0, nowMs - durationMs);
  const instantMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (instantMs >= 0 && instantMs <= nowMs) return instantMs;
  throw mistake(
    `--${option} must be a duration such as 30m, 24h or 7d, or an instant in the past such as 2025-01-31 or 2025-01-31T12:00Z, got ${JSON.stringify(text)}`,
  );
}

const MINUTE_MS = 60_000;

/**
 * Returns the instant of an option such as `--from`, in milliseconds: a duration counts from now, rounded up to a whole minute; ISO 8601
 * gives an instant.
 *
 * @throws ServiceError `invalidCommand`.
 */
export function readFuture(option: string, value: unknown, nowMs: number): number {
  const text = String(value ?? '');
  const durationMs = parseDuration(text);
  if (durationMs !== undefined) return Math.ceil((nowMs + durationMs) / MINUTE_MS) * MINUTE_MS;
  const instantMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (instantMs >= 0) return instantMs;
  throw mistake(
    `--${option} must be an instant such as 2026-01-17T02:00Z, or a duration from now such as 2d, got ${JSON.stringify(text)}`,
  );
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds of `90s`, `30m`, `24h` or `7d`; undefined for anything else. */
function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit ?? ''];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}
