import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { WalletUsage as Sums, WalletUsageSum } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Select } from '../../parts/field.tsx';
import { Count, Usd } from '../../parts/number.tsx';
import type { Column } from '../../parts/table.tsx';
import { useScopes } from '../../session/session.tsx';
import { groupName } from './group-name.ts';
import { type Span, spanOf } from './span.ts';
import type { Line } from './draw-chart.ts';
import { SpanFields } from './span-fields.tsx';
import { SumTable } from './sum-table.tsx';
import { TimeChart } from './time-chart.tsx';
import { toTimeSeries } from './time-series.ts';

type Group = Sums['by'];

const GROUPS: readonly { readonly value: Group; readonly text: string }[] = [
  { value: 'operation', text: 'Operation' },
  { value: 'token', text: 'Token or member' },
  { value: 'day', text: 'Day (UTC)' },
  { value: 'hour', text: 'Hour (UTC)' },
];
const LINES: readonly Line[] = [
  { title: 'Requests', color: '--accent', kind: 'base' },
  { title: 'Refused', color: '--warn', kind: 'above' },
];

/** Requests to the wallet service, with what they cost for members who may see it. */
export function WalletUsage() {
  const hasMoney = useScopes('billing:read');
  const [span, setSpan] = useState<Span>(() => spanOf('day', Date.now()));
  const [by, setBy] = useState<Group>('operation');
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
        ...{ nowMs: Date.now(), width: LINES.length },
        valuesOf: ({ requests, refused }) => [requests, refused],
      }),
    [time.data, span],
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
      </div>
      <TimeChart label={`Requests by ${span.unit}`} lines={LINES} series={series} />
      <SumTable
        caption="Wallet operations"
        query={sums}
        rows={sums.data?.rows}
        columns={columnsOf(sums.data?.by ?? by, hasMoney)}
        operation={['Usage', 'getWalletUsage']}
        file={{
          name: `wallet-usage-${by}.csv`,
          head: [by, 'id', 'requests', 'refused', 'units', ...(hasMoney ? ['cost_usd'] : [])],
          cellsOf: (row) => [
            ...[groupName(row, by), row.group, row.requests, row.refused, row.units],
            ...(hasMoney ? [row.cost_usd] : []),
          ],
        }}
        empty="No wallet operations in this time"
      />
    </section>
  );
}

function columnsOf(by: Group, hasMoney: boolean): readonly Column<WalletUsageSum>[] {
  return [
    {
      title: GROUPS.find(({ value }) => value === by)?.text ?? by,
      share: 2.4,
      show: (row) => groupName(row, by),
    },
    { title: 'Requests', kind: 'number', show: ({ requests }) => <Count value={requests} /> },
    { title: 'Refused', kind: 'number', show: ({ refused }) => <Count value={refused} /> },
    // The books know nothing of tokens.
    ...(by === 'token' ? [] : CHARGED.slice(0, hasMoney ? 2 : 1)),
  ];
}

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
