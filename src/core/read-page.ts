import { serviceError } from './service-error.ts';

/** A requested page. */
type PageQuery = { readonly limit: number; readonly cursor?: string };

/** Access to the rows of a list. */
export type PageReader<R> = {
  /** True for the ids of the list. */
  readonly isId: (id: string) => boolean;
  /** Returns at most `limit` rows after a position. */
  readonly read: (page: {
    readonly after: ListPosition | undefined;
    readonly limit: number;
  }) => Promise<readonly R[]>;
};

type Listed = { readonly id: string; readonly createdAt: Date };

/**
 * Reads a page of a list, newest first.
 *
 * @throws ServiceError `queryInvalid` for a cursor that no page of the list can have.
 */
export async function readPage<R extends Listed>(
  { limit, cursor }: PageQuery,
  { isId, read }: PageReader<R>,
): Promise<{ readonly rows: readonly R[]; readonly nextCursor: { readonly next_cursor?: string } }> {
  const after = positionOf(cursor, isId);
  const rows = await read({ after, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const nextCursor =
    last === undefined ? {} : { next_cursor: printCursor({ at: last.createdAt, id: last.id }) };
  return { rows: page, nextCursor };
}

/**
 * Returns the position of a cursor; undefined without one. @throws ServiceError `queryInvalid` for a cursor that no page of the list can
 * have.
 */
export function positionOf(
  cursor: string | undefined,
  isId: (id: string) => boolean,
): ListPosition | undefined {
  const after = cursor === undefined ? undefined : readCursor(cursor, isId);
  if (cursor === undefined || after !== undefined) return after;
  const errors = [{ pointer: '/cursor', detail: 'is not the next_cursor of a page' }];
  throw serviceError('queryInvalid', { errors });
}

/** The last entry of a page. Lists are in descending order; `id` is ASCII. */
export type ListPosition = { readonly at: Date; readonly id: string };

/** Six bytes of milliseconds since 1970; then the id. */
const INSTANT_BYTES = 6;
/** The last year of RFC 3339, and so of every instant in a list. */
const LAST_YEAR = 9999;

/** Prints the end of a page as an opaque text. */
export function printCursor({ at, id }: ListPosition): string {
  const instant = Buffer.alloc(INSTANT_BYTES);
  instant.writeUIntBE(at.getTime(), 0, INSTANT_BYTES);
  return Buffer.concat([instant, Buffer.from(id)]).toString('base64url');
}

/** Reads a cursor; undefined if no page of the list can have it. @param isId true for ids of the list; false for an empty text. */
export function readCursor(text: string, isId: (id: string) => boolean): ListPosition | undefined {
  const bytes = Buffer.from(text, 'base64url');
  const id = bytes.toString('latin1', INSTANT_BYTES);
  if (!isId(id) || bytes.toString('base64url') !== text) return undefined;
  const at = new Date(bytes.readUIntBE(0, INSTANT_BYTES));
  return at.getUTCFullYear() > LAST_YEAR ? undefined : { at, id };
}
