import type { TimeSeries } from './time-series.ts';

/** A series of a chart: its name and its colour in the style sheet, such as `--accent`. The first is the `base`. */
export type Line = {
  readonly title: string;
  readonly color: string;
  /** `part`: included in the base, and drawn inside its bars; `above`: not included, and drawn on top of them. */
  readonly kind: 'base' | 'part' | 'above';
};

type Drawing = {
  readonly lines: readonly Line[];
  readonly series: TimeSeries;
  /** Prints a value of the scale; default: a short count. */
  readonly print: ((value: number) => string) | undefined;
  /** Called with the point under the pointer, or undefined. */
  readonly onPoint: (index: number | undefined) => void;
  /** Removes the chart. */
  readonly signal: AbortSignal;
};

const HEIGHT = 240;
/** Width of a bar, as a share of the space of its point. */
const BAR_SHARE = 0.7;
/** Steps of a scale of whole numbers. */
const WHOLE = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
const ORDER = ['above', 'base', 'part'] as const;
const SHORT = new Intl.NumberFormat('en', { notation: 'compact' });
const CLOCK = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const DATE = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

/** Draws bars over time into an element, in the colours of the theme and at the width of the element. */
export async function drawChart(
  room: HTMLElement,
  { lines, series, print = printShort, onPoint, signal }: Drawing,
): Promise<void> {
  const [{ default: UPlot }] = await Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]);
  if (signal.aborted) return;
  const colorOf = (name: string) => (): string => getComputedStyle(room).getPropertyValue(name).trim();
  const axis = {
    stroke: colorOf('--muted'),
    grid: { stroke: colorOf('--line'), width: 1 },
    ticks: { stroke: colorOf('--line'), width: 1 },
  };
  const bars = UPlot.paths.bars?.({ size: [BAR_SHARE, 60] });
  const half = ((series.times[1] ?? 0) - (series.times[0] ?? 0)) / 2;
  // Later series are drawn in front.
  const drawn = ORDER.flatMap((kind) =>
    lines.flatMap((line, index) => (line.kind === kind ? [{ line, index }] : [])),
  );
  const chart = new UPlot(
    {
      width: room.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: {
        x: { range: (_, min, max) => [min - half, max + half] },
        y: { range: (_, __, max) => [0, Math.max(4, max * 1.05)] },
      },
      axes: [
        { ...axis, grid: { show: false }, space: 70, values: (_, ticks) => ticks.map(printTick) },
        {
          ...axis,
          size: (_, texts) => scaleWidth(texts ?? []),
          incrs: WHOLE,
          values: (_, ticks) => ticks.map((tick) => print(tick)),
        },
      ],
      series: [
        {},
        ...drawn.map(({ line: { title, color } }) => ({
          label: title,
          fill: colorOf(color),
          width: 0,
          points: { show: false },
          ...(bars !== undefined && { paths: bars }),
        })),
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    },
    [[...series.times], ...drawn.map(({ line, index }) => heightsOf(series, line, index))],
    room,
  );
  const width = new ResizeObserver(() => chart.setSize({ width: room.clientWidth, height: HEIGHT }));
  width.observe(room);
  const redraw = (): void => chart.redraw(false);
  const theme = new MutationObserver(redraw);
  theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', redraw);
  signal.addEventListener('abort', () => {
    width.disconnect();
    theme.disconnect();
    scheme.removeEventListener('change', redraw);
    chart.destroy();
  });
}

function heightsOf({ values }: TimeSeries, { kind }: Line, index: number): number[] {
  const own = values[index] ?? [];
  return own.map((value, at) => (kind === 'above' ? value + (values[0]?.[at] ?? 0) : value));
}

/** Width of the texts of the scale, in pixels. */
function scaleWidth(texts: readonly string[]): number {
  return Math.max(56, 16 + 8 * Math.max(0, ...texts.map(({ length }) => length)));
}

function printShort(value: number): string {
  return SHORT.format(value);
}

/** The time of the reader; at midnight the date. */
function printTick(seconds: number): string {
  const at = new Date(seconds * 1_000);
  return at.getHours() === 0 && at.getMinutes() === 0 ? DATE.format(at) : CLOCK.format(at);
}
