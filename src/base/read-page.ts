import { type ListPosition, printCursor, readCursor } from './list-cursor.ts';
import { serviceError } from './service-error.ts';

/** A page as it is asked for. */
type PageQuery = { readonly limit: number; readonly cursor?: string };

/** What a page is read by. */
export type PageReader<R> = {
  /** True for the ids of the list. */
  readonly isId: (id: string) => boolean;
  /** Returns at most `limit` rows behind a position. */
  readonly read: (page: {
    readonly after: ListPosition | undefined;
    readonly limit: number;
  }) => Promise<readonly R[]>;
};

type Listed = { readonly id: string; readonly createdAt: Date };

/**
 * Reads a page of a list, newest first.
 *
 * @throws ServiceError `queryInvalid` for a cursor that no page of the list has.
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

/** Returns the position of a cursor; undefined without one. @throws ServiceError `queryInvalid` for one that no page of the list has. */
export function positionOf(
  cursor: string | undefined,
  isId: (id: string) => boolean,
): ListPosition | undefined {
  const after = cursor === undefined ? undefined : readCursor(cursor, isId);
  if (cursor === undefined || after !== undefined) return after;
  const errors = [{ pointer: '/cursor', detail: 'is not the next_cursor of a page' }];
  throw serviceError('queryInvalid', { errors });
}
