import type { LabReport } from '../report.ts';
import { clock, escapeHtml, figure } from './html.ts';

const WIDTH = 1_000;
const HEIGHT = 100;
/** A fault that is shorter is still seen. */
const LEAST = 1.5;

/** The timeline: a lane for each target that failed, one for what broke an invariant, and what clients did above them. */
export function renderLanes(report: LabReport): string {
  const { faults, breaks, took_ms: tookMs } = report;
  const x = (ms: number): number => Math.round((ms / Math.max(1, tookMs)) * WIDTH * 10) / 10;
  const targets = [...new Set(faults.map(({ target }) => target))].toSorted();
  const lane = (name: string, shapes: string, kind = ''): string =>
    `<div class="lane${kind}"><span>${escapeHtml(name)}</span><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(name)}">${shapes}</svg></div>`;
  const bar = (
    from: number,
    to: number,
    { part, title }: { readonly part: string; readonly title: string },
  ): string =>
    `<rect class="part-${part}" x="${x(from)}" y="10" width="${Math.max(LEAST, x(to) - x(from))}" height="80"><title>${escapeHtml(title)}</title></rect>`;
  const lanes = targets.map((target) =>
    lane(
      target,
      faults
        .filter((fault) => fault.target === target)
        .map(({ part, kind, what, from_ms: from, to_ms: to }) =>
          bar(from, to, { part, title: `${clock(from)} to ${clock(to)}: ${kind}, ${what}` }),
        )
        .join(''),
    ),
  );
  const broken = breaks.map(({ at_ms: at, invariant, what }) =>
    bar(at, at, { part: 'break', title: `${clock(at)}: ${invariant}, ${what}` }),
  );
  return [...flows(report, x, lane), lane('broken invariants', broken.join('')), ...lanes].join('\n');
}

type Lane = (name: string, shapes: string, kind?: string) => string;

/** The counts that stand for the flows beside the reads, each in a lane of its own. */
const FLOWS: readonly (readonly [name: string, counts: readonly string[]])[] = [
  ['wallets, children and signatures', ['wallets_created', 'children_derived', 'signatures']],
  ['keys made, rotated and revoked', ['keys_created', 'keys_rotated', 'keys_revoked']],
  ['events delivered', ['events_delivered']],
  ['events delivered again', ['events_delivered_again']],
];
const READS = ['http_reads', 'websocket_reads', 'batch_reads'];

/** Reads in each span, how long the slowest of a hundred took, and the other flows that the run had. */
function flows(report: LabReport, x: (ms: number) => number, lane: Lane): readonly string[] {
  const spans = everySpan(report);
  const slowest = Math.max(1, ...spans.map(({ reads_ms: ms }) => ms.p99));
  const points = (values: readonly number[], most: number): string =>
    spans
      .map(({ from_ms: from }, at) => {
        const y = HEIGHT - ((values[at] ?? 0) / most) * (HEIGHT - 5);
        return `${x(from)},${Math.round(y * 10) / 10}`;
      })
      .join(' ');
  const area = (name: string, counted: readonly string[], kind = ''): string => {
    const values = spans.map(({ counts }) => counted.reduce((sum, each) => sum + (counts[each] ?? 0), 0));
    const most = Math.max(1, ...values);
    const shape = `<polygon class="area" points="0,${HEIGHT} ${points(values, most)} ${WIDTH},${HEIGHT}"/>`;
    return lane(`${name}, ${figure(most)} at most in a span`, shape, kind);
  };
  const p99s = spans.map(({ reads_ms: ms }) => ms.p99);
  const curve = `<polyline class="curve" points="${points(p99s, slowest)}"/>`;
  const others = FLOWS.filter(([, counted]) =>
    spans.some(({ counts }) => counted.some((each) => each in counts)),
  );
  return [
    area('reads', READS, ' tall'),
    lane(`p99 of reads, up to ${figure(slowest)} ms`, curve, ' tall'),
    ...others.map(([name, counted]) => area(name, counted, ' flow')),
  ];
}

/** The spans of the run, those in which nothing happened too. */
function everySpan({ spans, span_ms: spanMs, took_ms: tookMs }: LabReport): LabReport['spans'] {
  const byStart = new Map(spans.map((span) => [span.from_ms, span]));
  const empty = { counts: {}, reads_ms: { p50: 0, p99: 0, max: 0 } };
  return Array.from({ length: Math.ceil(tookMs / spanMs) }, (_, at) => {
    const fromMs = at * spanMs;
    return byStart.get(fromMs) ?? { from_ms: fromMs, ...empty };
  });
}
