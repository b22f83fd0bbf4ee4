import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { UsageSum } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { printShare } from '../../parts/format-number.ts';
import { Count } from '../../parts/number.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import type { Line } from '../usage/draw-chart.ts';
import { type Span, spanOf } from '../usage/span.ts';
import { TimeChart } from '../usage/time-chart.tsx';
import { type TimeSeries, toTimeSeries } from '../usage/time-series.ts';
import { addPoint, type LivePoint } from './live-points.ts';

const SPANS = [
  { id: 'live', title: 'Live' },
  { id: 'hour', title: '1 hour' },
  { id: 'day', title: '24 hours' },
  { id: 'month', title: '30 days' },
] as const;
type SpanId = (typeof SPANS)[number]['id'];

const LINES: readonly Line[] = [
  { title: 'Served', color: '--accent', kind: 'base' },
  { title: 'Errors', color: '--bad', kind: 'part' },
  { title: 'Refused', color: '--warn', kind: 'above' },
];
const valuesOf = ({ calls, errors, refused }: UsageSum): readonly number[] => [calls, errors, refused];

const LIVE_MS = 5_000;
const REFRESH_MS = 30_000;
const TOP = 5;
const OPERATION = ['Usage', 'getUsage'] as const;

/** The calls of the account over time, on all networks, and its most used methods. */
export function ActivityPanel() {
  const [id, setId] = useState<SpanId>('day');
  return (
    <section className="panel" aria-labelledby="calls">
      <div className="panel-head">
        <h2 id="calls">Calls of this account</h2>
        <fieldset className="segments">
          <legend className="only-read">Time span</legend>
          {SPANS.map(({ id: each, title }) => (
            <label key={each}>
              <input type="radio" name="span" checked={id === each} onChange={() => setId(each)} />
              <span>{title}</span>
            </label>
          ))}
        </fieldset>
      </div>
      {id === 'live' ? <LiveCalls /> : <PastCalls key={id} id={id} />}
    </section>
  );
}

/** Calls of the last minute, as they are counted. */
function LiveCalls() {
  const since = useRef(new Date().toISOString());
  const [points, setPoints] = useState<readonly LivePoint[]>([]);
  const counts = useQuery({
    queryKey: ['usage', 'live'],
    queryFn: ({ signal }) => account.getUsage({ since: since.current, by: 'network' }, { signal }),
    refetchInterval: LIVE_MS,
    gcTime: 0,
  });
  const { data, dataUpdatedAt } = counts;
  useEffect(() => {
    if (data !== undefined) setPoints((known) => addPoint(known, data.rows, dataUpdatedAt));
  }, [data, dataUpdatedAt]);
  const series = useMemo<TimeSeries>(
    () => ({
      times: points.map(({ atMs }) => atMs / 1_000),
      values: LINES.map((_, line) => points.map(({ added }) => added[line] ?? 0)),
    }),
    [points],
  );
  return (
    <>
      <ErrorNotice error={counts.error} operation={OPERATION} />
      <TimeChart label="Calls of the last minute, 5 s apart" lines={LINES} series={series} />
      <p className="field-hint">Each bar holds the calls counted since the one before, every 5 s.</p>
    </>
  );
}

function PastCalls({ id }: { readonly id: Exclude<SpanId, 'live'> }) {
  const [span, setSpan] = useState<Span>(() => spanOf(id, Date.now()));
  useEffect(() => {
    const timer = setInterval(() => setSpan(spanOf(id, Date.now())), REFRESH_MS);
    return () => clearInterval(timer);
  }, [id]);
  const bounds = { since: span.since };
  const time = useQuery({
    queryKey: ['usage', 'time', span, ''],
    queryFn: ({ signal }) => account.getUsage({ ...bounds, by: span.unit }, { signal }),
    placeholderData: keepPreviousData,
  });
  const methods = useQuery({
    queryKey: ['usage', 'sums', 'method', span, ''],
    queryFn: ({ signal }) => account.getUsage({ ...bounds, by: 'method' }, { signal }),
    placeholderData: keepPreviousData,
  });
  const series = useMemo(
    () => toTimeSeries(time.data?.rows ?? [], span, { nowMs: Date.now(), width: LINES.length, valuesOf }),
    [time.data, span],
  );
  const top = methods.data?.rows.slice(0, TOP);
  return (
    <>
      <ErrorNotice error={time.error ?? methods.error} operation={OPERATION} />
      <TimeChart
        label={`Served calls, errors and refused calls by ${span.unit}`}
        lines={LINES}
        series={series}
      />
      <div className="top-methods">
        {top?.length === 0 ? (
          <EmptyState title="No calls in this time">
            <p>The endpoints above show a first one.</p>
          </EmptyState>
        ) : (
          <Table
            caption="Top methods"
            columns={COLUMNS}
            rows={top ?? []}
            keyOf={({ group }) => group}
            waitingRows={top === undefined ? TOP : 0}
          />
        )}
      </div>
      <p className="field-hint">
        Errors: this server or a node failed to answer. Caller errors were answered: the call was wrong, or
        what it asks for does not exist. Refused: the limit of the plan was reached.{' '}
        <Link href="/usage">All usage</Link>
      </p>
    </>
  );
}

const COLUMNS: readonly Column<UsageSum>[] = [
  { title: 'Top methods', share: 2.4, show: ({ group }) => <code>{group}</code> },
  { title: 'Calls', kind: 'number', show: ({ calls }) => <Count value={calls} /> },
  {
    title: 'Errors',
    kind: 'number',
    show: ({ calls, errors }) => <CountOf value={errors} of={calls} />,
  },
  {
    title: 'Caller errors',
    kind: 'number',
    show: ({ calls, caller_errors }) => <CountOf value={caller_errors} of={calls} />,
  },
];

/** A count, and its share of a whole. */
function CountOf({ value, of }: { readonly value: number; readonly of: number }) {
  return (
    <>
      <Count value={value} /> <small className="muted">{printShare(value, of)}</small>
    </>
  );
}
