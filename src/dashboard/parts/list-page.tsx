import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ReferenceService } from '../calls/places.ts';
import { Button } from './button.tsx';
import { type CursorStack, newer, older } from './cursor-stack.ts';
import { EmptyState } from './empty-state.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { type Column, Table } from './table.tsx';

type PageOfList = { readonly next_cursor?: string | undefined };

type ListPageProps<P extends PageOfList, Row> = {
  /** The name of the list for screen readers. */
  readonly caption: string;
  /** Key of the queries, filters included; the cursor is added. Invalidating it reloads the list. */
  readonly queryKey: readonly unknown[];
  readonly read: (
    query: { readonly limit: number; readonly cursor?: string },
    signal: AbortSignal,
  ) => Promise<P>;
  readonly rowsOf: (page: P) => readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** The operation that reads it, by its tag and name in the reference. */
  readonly operation: readonly [tag: string, name: string, service?: ReferenceService];
  readonly empty: { readonly title: string; readonly children?: ReactNode };
  /** Rows of a page. */
  readonly limit?: number;
  /** Interval at which the first page is read again; absent: it is not. */
  readonly refetchMs?: number | undefined;
  /** The buttons for the previous and the next page; default: Newer and Older. */
  readonly steps?: readonly [before: string, after: string];
};

const WAITING_ROWS = 4;

/**
 * A list that the server pages by cursor, newest first: "Older" and "Newer" below it, rows of the final height while it is loading, a hint
 * when it is empty, and the error with a way to try again.
 */
export function ListPage<P extends PageOfList, Row>(props: ListPageProps<P, Row>) {
  const { caption, queryKey, read, rowsOf, columns, keyOf, operation, empty, limit = 25, refetchMs } = props;
  const [before, after] = props.steps ?? ['Newer', 'Older'];
  const filters = JSON.stringify(queryKey);
  const [place, setPlace] = useState<{ readonly filters: string; readonly stack: CursorStack }>({
    filters,
    stack: [],
  });
  const stack = place.filters === filters ? place.stack : [];
  const cursor = stack.at(-1);
  const list = useQuery({
    queryKey: [...queryKey, { cursor, limit }],
    queryFn: ({ signal }) => read({ limit, ...(cursor !== undefined && { cursor }) }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined && refetchMs !== undefined && refetchMs,
  });
  if (list.isError) {
    return (
      <ErrorNotice error={list.error} operation={operation}>
        <Button type="button" onClick={() => void list.refetch()}>
          Try again
        </Button>
      </ErrorNotice>
    );
  }
  const rows = list.data === undefined ? [] : rowsOf(list.data);
  const nextCursor = list.data?.next_cursor;
  // A page of a filtered list may have no rows and yet lead on.
  const isEmpty = list.data !== undefined && rows.length === 0;
  if (isEmpty && cursor === undefined && nextCursor === undefined) return <EmptyState {...empty} />;
  return (
    <div aria-busy={list.isFetching}>
      <Table
        caption={caption}
        columns={columns}
        rows={rows}
        keyOf={keyOf}
        waitingRows={list.isPending ? WAITING_ROWS : 0}
      />
      {(cursor !== undefined || nextCursor !== undefined) && (
        <nav className="pager" aria-label={`Pages of ${caption.toLowerCase()}`}>
          <Button
            type="button"
            disabled={cursor === undefined}
            onClick={() => setPlace({ filters, stack: newer(stack) })}
          >
            {before}
          </Button>
          <span className="number muted">Page {stack.length + 1}</span>
          <Button
            type="button"
            disabled={nextCursor === undefined || list.isPlaceholderData}
            onClick={() => nextCursor !== undefined && setPlace({ filters, stack: older(stack, nextCursor) })}
          >
            {after}
          </Button>
        </nav>
      )}
    </div>
  );
}
