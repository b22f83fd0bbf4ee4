import { type ListPosition, printCursor, readCursor } from '../base/list-cursor.ts';
import { serviceError } from '../base/service-error.ts';
import { isUuid } from './uuid.ts';

/** A page as it is asked for. */
type PageQuery = { readonly limit: number; readonly cursor?: string };

type Listed = { readonly id: string; readonly createdAt: Date };

/**
 * Reads a page of a list, newest first.
 *
 * @param read returns at most `limit` rows behind a position.
 * @throws ServiceError `queryInvalid` for a cursor that no page of the list has.
 */
export async function readPage<R extends Listed>(
  { limit, cursor }: PageQuery,
  read: (page: { readonly after: ListPosition | undefined; readonly limit: number }) => Promise<readonly R[]>,
): Promise<{ readonly rows: readonly R[]; readonly nextCursor: { readonly next_cursor?: string } }> {
  const after = cursor === undefined ? undefined : readCursor(cursor, isUuid);
  if (cursor !== undefined && after === undefined) {
    const errors = [{ pointer: '/cursor', detail: 'is not the next_cursor of a page' }];
    throw serviceError('queryInvalid', { errors });
  }
  const rows = await read({ after, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const nextCursor =
    last === undefined ? {} : { next_cursor: printCursor({ at: last.createdAt, id: last.id }) };
  return { rows: page, nextCursor };
}
