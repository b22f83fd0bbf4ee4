import { useEffect, useRef, useState } from 'react';
import { formatCount } from '../../parts/format-number.ts';
import { drawChart, type Line } from './draw-chart.ts';
import type { TimeSeries } from './time-series.ts';
import './time-chart.css';

type TimeChartProps = {
  /** The name of the chart for screen readers; the figures are in the table of the page. */
  readonly label: string;
  readonly lines: readonly Line[];
  readonly series: TimeSeries;
  /** Prints a value; default as a count. */
  readonly print?: ((value: number) => string) | undefined;
};

const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });

/** A chart over time. Its code is loaded with the first chart; its space is reserved from the beginning. */
export function TimeChart({ label, lines, series, print }: TimeChartProps) {
  const room = useRef<HTMLDivElement>(null);
  const [index, setIndex] = useState<number>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    if (room.current === null) return;
    const controller = new AbortController();
    drawChart(room.current, { lines, series, print, onPoint: setIndex, signal: controller.signal }).catch(
      () => setFailed(true),
    );
    return () => controller.abort();
  }, [lines, series, print]);
  const at = index === undefined ? undefined : series.times[index];
  const valueAt = (line: number): number =>
    (index === undefined ? undefined : series.values[line]?.[index]) ??
    (series.values[line] ?? []).reduce((sum, value) => sum + value, 0);
  return (
    <figure className="chart">
      <figcaption className="chart-legend">
        {lines.map(({ title, color }, line) => (
          <span key={title} className="chart-line">
            <svg width="10" height="10" aria-hidden="true">
              <rect width="10" height="10" rx="2" fill={`var(${color})`} />
            </svg>
            {title} <span className="number">{(print ?? formatCount)(valueAt(line))}</span>
          </span>
        ))}
        <span className="muted number chart-time">
          {at === undefined ? 'in all' : TIME.format(at * 1_000)}
        </span>
      </figcaption>
      <div ref={room} className="chart-room" role="img" aria-label={label} />
      {hasFailed && <p role="alert">The chart could not be loaded. Reload the page to see it.</p>}
    </figure>
  );
}
