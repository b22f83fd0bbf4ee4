import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { WalletUsage as Sums, WalletUsageSum } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Select } from '../../parts/field.tsx';
import { formatMicroUsd, microOf } from '../../parts/format-number.ts';
import { Count, Usd } from '../../parts/number.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useScopes } from '../../session/session.tsx';
import { groupName } from './group-name.ts';
import { type Span, spanOf } from './span.ts';
import type { Line } from './draw-chart.ts';
import { SpanFields } from './span-fields.tsx';
import { TimeChart } from './time-chart.tsx';
import { toTimeSeries } from './time-series.ts';
import { Button } from '../../parts/button.tsx';
import { type Cell, printCsv } from '../../parts/csv.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { referenceOf } from '../../calls/places.ts';
import { saveFile } from '../../parts/save-file.ts';

type Group = Sums['by'];
type Chart = {
  readonly label: string;
  readonly lines: readonly Line[];
  readonly valuesOf: (row: WalletUsageSum) => readonly number[];
  /** Prints a value; default as a count. */
  readonly print?: (value: number) => string;
};

const GROUPS: readonly { readonly value: Group; readonly text: string }[] = [
  { value: 'operation', text: 'Operation' },
  { value: 'token', text: 'Token or member' },
  { value: 'day', text: 'Day (UTC)' },
  { value: 'day_operation', text: 'Day (UTC) and operation' },
  { value: 'hour', text: 'Hour (UTC)' },
];
/** Cost is in micro-USD, so that sums are exact. */
const CHARTS = {
  requests: {
    label: 'Requests',
    lines: [
      { title: 'Requests', color: '--accent', kind: 'base' },
      { title: 'Refused', color: '--warn', kind: 'above' },
    ],
    valuesOf: ({ requests, refused }) => [requests, refused],
  },
  cost: {
    label: 'Cost',
    lines: [{ title: 'Cost', color: '--accent', kind: 'base' }],
    valuesOf: ({ cost_usd = '0.00' }) => [Number(microOf(cost_usd))],
    print: formatMicroUsd,
  },
} satisfies Record<string, Chart>;
const DRAWN: readonly { readonly value: keyof typeof CHARTS; readonly text: string }[] = [
  { value: 'requests', text: 'Requests' },
  { value: 'cost', text: 'Cost' },
];

/** Requests to the wallet service, with their cost for members with access to it. */
export function WalletUsage() {
  const hasMoney = useScopes('billing:read');
  const [span, setSpan] = useState<Span>(() => spanOf('day', Date.now()));
  const [by, setBy] = useState<Group>('operation');
  const [drawn, setDrawn] = useState<keyof typeof CHARTS>('requests');
  const chart: Chart = CHARTS[drawn];
  const bounds = { since: span.since, ...(span.until !== undefined && { until: span.until }) };
  const time = useQuery({
    queryKey: ['wallet-usage', 'time', span],
    queryFn: ({ signal }) => account.getWalletUsage({ ...bounds, by: span.unit }, { signal }),
    placeholderData: keepPreviousData,
  });
  const sums = useQuery({
    queryKey: ['wallet-usage', 'sums', by, span],
    queryFn: ({ signal }) => account.getWalletUsage({ ...bounds, by }, { signal }),
    placeholderData: keepPreviousData,
  });
  const series = useMemo(
    () =>
      toTimeSeries(time.data?.rows ?? [], span, {
        nowMs: Date.now(),
        width: chart.lines.length,
        valuesOf: chart.valuesOf,
      }),
    [time.data, span, chart],
  );
  return (
    <section className="panel" aria-labelledby="wallet-operations">
      <h2 id="wallet-operations">Wallet operations</h2>
      <div className="filters">
        <SpanFields initial="day" onSpan={setSpan} />
        <Select
          label="Sums by"
          options={GROUPS}
          value={by}
          onChange={({ target }) => setBy(target.value as Group)}
        />
        {hasMoney && (
          <Select
            label="Chart"
            options={DRAWN}
            value={drawn}
            onChange={({ target }) => setDrawn(target.value as keyof typeof CHARTS)}
          />
        )}
      </div>
      <TimeChart
        label={`${chart.label} by ${span.unit}`}
        lines={chart.lines}
        series={series}
        print={chart.print}
      />
      <SumTable
        caption="Wallet operations"
        query={sums}
        rows={sums.data?.rows}
        columns={columnsOf(sums.data?.by ?? by, hasMoney)}
        operation={['Usage', 'getWalletUsage']}
        file={{
          name: `wallet-usage-${by}.csv`,
          head: [
            ...(isDaily(by) ? ['day', 'operation'] : [by, 'id']),
            ...['requests', 'refused', 'units', ...(hasMoney ? ['cost_usd'] : [])],
          ],
          cellsOf: (row) => [
            ...[groupName(row, by), isDaily(by) ? row.operation : row.group],
            ...[row.requests, row.refused, row.units],
            ...(hasMoney ? [row.cost_usd] : []),
          ],
        }}
        empty="No wallet operations in this period"
      />
    </section>
  );
}

/** True for the sums of each operation on each day. */
function isDaily(by: Group): boolean {
  return by === 'day_operation';
}

function columnsOf(by: Group, hasMoney: boolean): readonly Column<WalletUsageSum>[] {
  const name = {
    title: GROUPS.find(({ value }) => value === by)?.text ?? by,
    share: 2.4,
    show: (row: WalletUsageSum) => groupName(row, by),
  };
  return [
    ...(isDaily(by) ? [{ ...name, title: 'Day (UTC)', share: 1.2 }, OPERATION] : [name]),
    { title: 'Requests', kind: 'number', show: ({ requests }) => <Count value={requests} /> },
    { title: 'Refused', kind: 'number', show: ({ refused }) => <Count value={refused} /> },
    // The books do not contain tokens.
    ...(by === 'token' ? [] : CHARGED.slice(0, hasMoney ? 2 : 1)),
  ];
}

const OPERATION: Column<WalletUsageSum> = {
  title: 'Operation',
  share: 1.2,
  show: ({ operation }) => operation,
};

const CHARGED: readonly Column<WalletUsageSum>[] = [
  {
    title: 'Charged units',
    kind: 'number',
    show: ({ units }) => units !== undefined && <Count value={units} />,
  },
  {
    title: 'Cost',
    kind: 'number',
    show: ({ cost_usd }) => cost_usd !== undefined && <Usd amount={cost_usd} />,
  },
];

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

/** A table of sums, which can be saved as CSV. */
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
          <p>Choose a longer period, or make the first call: the overview shows how.</p>
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
