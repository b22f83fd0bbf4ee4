import { Redirect, useParams } from 'wouter';
import { useQuery, keepPreviousData } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { TimeChart } from './time-chart.tsx';
import { WalletUsage, SumTable } from './wallet-usage.tsx';
import './usage-page.css';
import type { Usage, UsageSum } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { printShare } from '../../parts/format-number.ts';
import { Select } from '../../parts/field.tsx';
import { Count } from '../../parts/number.tsx';
import type { Column } from '../../parts/table.tsx';
import { type Span, spanOf } from './span.ts';
import type { Line } from './draw-chart.ts';
import { PlanLimits } from './plan-limits.tsx';
import { SpanFields } from './span-fields.tsx';
import { toTimeSeries } from './time-series.ts';
import { groupName, isTime } from './group-name.ts';

const TABS = [
  { href: '/usage', title: 'Calls' },
  { href: '/usage/wallets', title: 'Wallet operations' },
  { href: '/usage/limits', title: 'Limits' },
];

/** The usage of the account: calls, wallet operations, limits. */
export function UsagePage() {
  const { list } = useParams();
  // For bookmarks of a former view of this page.
  if (list === 'billing') return <Redirect to="/billing" replace />;
  if (!TABS.some(({ href }) => href === ['/usage', list].filter(Boolean).join('/'))) return <NotFoundPage />;
  return (
    <Page title="Usage" lead="Calls to the networks, wallet operations, and what they cost.">
      <Tabs label="Views" tabs={TABS} />
      {list === undefined && <CallUsage />}
      {list === 'wallets' && <WalletUsage />}
      {list === 'limits' && <PlanLimits />}
    </Page>
  );
}

type Group = Usage['by'];
type Chart = {
  readonly label: string;
  readonly lines: readonly Line[];
  readonly valuesOf: (row: UsageSum) => readonly number[];
};

const GROUPS: readonly { readonly value: Group; readonly text: string }[] = [
  { value: 'key', text: 'API key' },
  { value: 'method', text: 'Method' },
  { value: 'network', text: 'Network' },
  { value: 'day', text: 'Day (UTC)' },
  { value: 'hour', text: 'Hour (UTC)' },
];
/** Messages can outnumber calls by far, so they have a chart of their own. */
const CHARTS = {
  calls: {
    label: 'Calls, errors and refused calls',
    lines: [
      { title: 'Calls', color: '--accent', kind: 'base' },
      { title: 'Errors', color: '--bad', kind: 'part' },
      { title: 'Refused', color: '--warn', kind: 'above' },
    ],
    valuesOf: ({ calls, errors, refused }) => [calls, errors, refused],
  },
  messages: {
    label: 'Pushed messages',
    lines: [{ title: 'Messages', color: '--accent', kind: 'base' }],
    valuesOf: ({ messages }) => [messages],
  },
} satisfies Record<string, Chart>;
const DRAWN: readonly { readonly value: keyof typeof CHARTS; readonly text: string }[] = [
  { value: 'calls', text: 'Calls' },
  { value: 'messages', text: 'Messages' },
];
const OPERATION = ['Usage', 'getUsage'] as const;

/** Calls to the ledger and its pushed messages, over time and by the chosen group. */
function CallUsage() {
  const [span, setSpan] = useState<Span>(() => spanOf('day', Date.now()));
  const [by, setBy] = useState<Group>('key');
  const [keyId, setKeyId] = useState('');
  const [drawn, setDrawn] = useState<keyof typeof CHARTS>('calls');
  const chart: Chart = CHARTS[drawn];
  const bounds = {
    since: span.since,
    ...(span.until !== undefined && { until: span.until }),
    ...(keyId !== '' && { key_id: keyId }),
  };
  const keys = useQuery({
    queryKey: ['keys', 'newest'],
    queryFn: ({ signal }) => account.listKeys({ limit: 200 }, { signal }),
  });
  const time = useQuery({
    queryKey: ['usage', 'time', span, keyId],
    queryFn: ({ signal }) => account.getUsage({ ...bounds, by: span.unit }, { signal }),
    placeholderData: keepPreviousData,
  });
  const sums = useQuery({
    queryKey: ['usage', 'sums', by, span, keyId],
    queryFn: ({ signal }) => account.getUsage({ ...bounds, by }, { signal }),
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
    <section className="panel" aria-labelledby="calls">
      <h2 id="calls">Calls</h2>
      <div className="filters">
        <SpanFields initial="day" onSpan={setSpan} />
        <Select
          label="API key"
          options={[
            { value: '', text: 'All' },
            ...(keys.data?.keys ?? []).map(({ key_id, name }) => ({ value: key_id, text: name })),
          ]}
          value={keyId}
          onChange={({ target }) => setKeyId(target.value)}
        />
        <Select
          label="Sums by"
          options={GROUPS}
          value={by}
          onChange={({ target }) => setBy(target.value as Group)}
        />
        <Select
          label="Chart"
          options={DRAWN}
          value={drawn}
          onChange={({ target }) => setDrawn(target.value as keyof typeof CHARTS)}
        />
      </div>
      <TimeChart label={`${chart.label} by ${span.unit}`} lines={chart.lines} series={series} />
      <SumTable
        caption="Calls"
        query={sums}
        rows={sums.data?.rows}
        columns={[nameColumn(sums.data?.by ?? by), ...COLUMNS]}
        operation={OPERATION}
        file={{
          name: `usage-${by}.csv`,
          head: [by, 'id', 'calls', 'errors', 'caller_errors', 'refused', 'weight', 'messages'],
          cellsOf: (row) => [
            ...[groupName(row, by), row.group],
            ...[row.calls, row.errors, row.caller_errors, row.refused, row.weight, row.messages],
          ],
        }}
        empty="No calls or messages in this period"
      />
    </section>
  );
}

function nameColumn(by: Group): Column<UsageSum> {
  const title = GROUPS.find(({ value }) => value === by)?.text ?? by;
  return {
    title,
    share: 2.4,
    show: (row) => <span className={isTime(by) ? 'number' : undefined}>{groupName(row, by)}</span>,
  };
}

function Share({ value, of }: { readonly value: number; readonly of: number }) {
  return (
    <>
      <Count value={value} /> <small className="muted">{printShare(value, of)}</small>
    </>
  );
}

const COLUMNS: readonly Column<UsageSum>[] = [
  { title: 'Calls', kind: 'number', show: ({ calls }) => <Count value={calls} /> },
  {
    title: 'Errors',
    kind: 'number',
    show: ({ calls, errors }) => <Share value={errors} of={calls} />,
  },
  {
    title: 'Caller errors',
    kind: 'number',
    show: ({ calls, caller_errors }) => <Share value={caller_errors} of={calls} />,
  },
  { title: 'Refused', kind: 'number', show: ({ refused }) => <Count value={refused} /> },
  { title: 'Weight', kind: 'number', show: ({ weight }) => <Count value={weight} /> },
  { title: 'Messages', kind: 'number', show: ({ messages }) => <Count value={messages} /> },
];
