import type { TimeSeries } from './time-series.ts';

/** A series of a chart: its name and the colour of the style sheet, such as `--accent`. */
export type Line = { readonly title: string; readonly color: string };

type Drawing = {
  readonly lines: readonly Line[];
  readonly series: TimeSeries;
  /** Called with the point under the pointer; undefined where there is none. */
  readonly onPoint: (index: number | undefined) => void;
  /** Removes the chart. */
  readonly signal: AbortSignal;
};

const HEIGHT = 240;
/** Share of the room of a point that its bar takes. */
const BAR_SHARE = 0.7;
const SHORT = new Intl.NumberFormat('en', { notation: 'compact' });

/** Draws bars of the first series and lines of the others into a room, in the colours of the theme, as wide as the room is. */
export async function drawChart(
  room: HTMLElement,
  { lines, series, onPoint, signal }: Drawing,
): Promise<void> {
  const [{ default: UPlot }] = await Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]);
  if (signal.aborted) return;
  const colorOf = (name: string) => (): string => getComputedStyle(room).getPropertyValue(name).trim();
  const axis = {
    stroke: colorOf('--muted'),
    grid: { stroke: colorOf('--line') },
    ticks: { stroke: colorOf('--line') },
  };
  const bars = UPlot.paths.bars?.({ size: [BAR_SHARE, 60] });
  const chart = new UPlot(
    {
      width: room.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      scales: { y: { range: (_, __, max) => [0, Math.max(4, max * 1.05)] } },
      axes: [axis, { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => SHORT.format(tick)) }],
      series: [
        {},
        ...lines.map(({ title, color }, index) => ({
          label: title,
          stroke: colorOf(color),
          width: index === 0 ? 0 : 2,
          points: { show: false },
          ...(index === 0 && { fill: colorOf(color), ...(bars !== undefined && { paths: bars }) }),
        })),
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    },
    [[...series.times], ...series.values.map((values) => [...values])],
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
