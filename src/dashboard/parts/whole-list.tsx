import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { type Column, Table } from './table.tsx';

type WholeListProps<Row> = {
  /** The name of the list for screen readers. */
  readonly caption: string;
  readonly queryKey: readonly unknown[];
  readonly read: (signal: AbortSignal) => Promise<readonly Row[]>;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** The operation that reads it, by its tag and name in the reference. */
  readonly operation: readonly [tag: string, name: string];
  readonly empty: { readonly title: string; readonly children?: ReactNode };
  /** The number of empty rows while it is loading. */
  readonly waitingRows?: number;
};

/** A list that the server returns at once: rows of the final height while it is loading, and the error with a way to try again. */
export function WholeList<Row>(props: WholeListProps<Row>) {
  const { caption, queryKey, read, columns, keyOf, operation, empty, waitingRows = 3 } = props;
  const list = useQuery({ queryKey, queryFn: ({ signal }) => read(signal) });
  if (list.isError) {
    return (
      <ErrorNotice error={list.error} operation={operation}>
        <Button type="button" onClick={() => void list.refetch()}>
          Try again
        </Button>
      </ErrorNotice>
    );
  }
  if (list.data?.length === 0) return <EmptyState {...empty} />;
  return (
    <div aria-busy={list.isFetching}>
      <Table
        caption={caption}
        columns={columns}
        rows={list.data ?? []}
        keyOf={keyOf}
        waitingRows={list.isPending ? waitingRows : 0}
      />
    </div>
  );
}
