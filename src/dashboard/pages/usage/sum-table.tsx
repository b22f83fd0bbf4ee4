import { Button } from '../../parts/button.tsx';
import { type Cell, printCsv } from '../../parts/csv.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { referenceOf } from '../../calls/places.ts';
import { saveFile } from '../../parts/save-file.ts';
import { type Column, Table } from '../../parts/table.tsx';

type SumTableProps<Row> = {
  readonly caption: string;
  readonly query: { readonly error: unknown; readonly isFetching: boolean; readonly refetch: () => unknown };
  /** Absent while they are read. */
  readonly rows: readonly Row[] | undefined;
  readonly columns: readonly Column<Row>[];
  readonly operation: readonly [tag: string, name: string];
  readonly file: {
    readonly name: string;
    readonly head: readonly string[];
    readonly cellsOf: (row: Row) => readonly Cell[];
  };
  readonly empty: string;
};

const WAITING_ROWS = 3;

/** Sums in a table, which can be saved as CSV. */
export function SumTable<Row extends { readonly group: string; readonly operation?: string | undefined }>(
  props: SumTableProps<Row>,
) {
  const { caption, query, rows, columns, operation, file, empty } = props;
  const save = (): void => {
    const lines = (rows ?? []).map((row) => file.cellsOf(row));
    saveFile(file.name, 'text/csv', [printCsv([file.head, ...lines])]);
  };
  return (
    <div aria-busy={query.isFetching} className="stack">
      <div className="panel-foot">
        <a href={referenceOf(...operation)}>Reference of {operation[1]}</a>
        <Button type="button" disabled={rows === undefined || rows.length === 0} onClick={save}>
          Download CSV
        </Button>
      </div>
      <ErrorNotice error={query.error} operation={operation}>
        <Button type="button" onClick={() => void query.refetch()}>
          Try again
        </Button>
      </ErrorNotice>
      {rows?.length === 0 ? (
        <EmptyState title={empty}>
          <p>Choose a longer time, or make the first call: the overview shows how.</p>
        </EmptyState>
      ) : (
        <Table
          caption={caption}
          columns={columns}
          rows={rows ?? []}
          keyOf={({ group, operation = '' }) => `${group} ${operation}`}
          waitingRows={rows === undefined && query.error === null ? WAITING_ROWS : 0}
        />
      )}
    </div>
  );
}
