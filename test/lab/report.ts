import { INVARIANT_NAMES, INVARIANTS } from './checks/invariants.ts';
import type { LabRun } from './run-lab.ts';

/** A fault as the report shows it. `to_ms` is when the target worked again. */
export type ShownFault = {
  readonly part: string;
  readonly kind: string;
  readonly target: string;
  readonly what: string;
  readonly from_ms: number;
  readonly to_ms: number;
};

/** The most reads of a period kept for its figures; beyond that, later ones replace earlier ones. */
const MAX_READS = 100_000;

/** Counts what happens, and keeps faults and the milliseconds of reads, for the report. */
export class Timeline {
  readonly faults: ShownFault[] = [];
  /** The number of times a source found no target that might fail, by part and kind. */
  readonly passedOver = new Map<string, number>();
  readonly nowMs: () => number;
  /** Reads that begin from now on are told apart by it. */
  period = 'all';
  readonly #totals = new Map<string, number>();
  readonly #reads = new Map<string, { seen: number; readonly ms: number[] }>();

  /** @param nowMs milliseconds since the run began. */
  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  count(name: string, by = 1): void {
    this.#totals.set(name, this.total(name) + by);
  }

  /** Notes a read that was answered. */
  read(protocol: string, ms: number, period = this.period): void {
    this.count(`${protocol}_reads`);
    const reads = this.#reads.get(period) ?? { seen: 0, ms: [] };
    reads.ms[reads.seen++ % MAX_READS] = ms;
    this.#reads.set(period, reads);
  }

  total(name: string): number {
    return this.#totals.get(name) ?? 0;
  }

  totals(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#totals].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The milliseconds of reads, by period. */
  latencies(): Readonly<Record<string, { readonly p50: number; readonly p99: number }>> {
    return Object.fromEntries(
      [...this.#reads].map(([period, { ms }]) => {
        const sorted = ms.toSorted((a, b) => a - b);
        const at = (share: number): number =>
          Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
        return [period, { p50: at(0.5), p99: at(0.99) }];
      }),
    );
  }
}

/** The results of a run. Holds no secret: neither keys nor addresses. */
export type LabReport = ReturnType<typeof makeReport>;

/** Makes the report of a run. */
export function makeReport({ findings, timeline, tookMs }: Pick<LabRun, 'findings' | 'timeline' | 'tookMs'>) {
  const seen = findings.seen();
  const invariants = INVARIANT_NAMES.map((name) => {
    const { checks, breaks } = seen[name];
    // Not checked: nothing was there to look at, for want of clients of that kind, say.
    const state = breaks > 0 ? 'broken' : checks > 0 ? 'held' : 'not checked';
    return { name, promise: INVARIANTS[name], state, checks, breaks };
  });
  return {
    is_sound: invariants.every(({ breaks }) => breaks === 0),
    took_ms: Math.round(tookMs),
    invariants,
    /** The first of each invariant, in the order in which they were seen. */
    breaks: findings.kept,
    totals: timeline.totals(),
    reads_ms: timeline.latencies(),
    faults: timeline.faults.toSorted((a, b) => a.from_ms - b.from_ms),
    passed_over: Object.fromEntries(timeline.passedOver),
  };
}

const MAX_SHOWN = 10;

/** A report as lines for a terminal: invariants, the first breaks, counts, and how long reads took. */
export function describeReport(report: LabReport): string {
  const { invariants, breaks, faults, reads_ms: reads, totals } = report;
  const unchecked = invariants.filter(({ state }) => state === 'not checked').map(({ name }) => name);
  return [
    ...invariants.flatMap(({ promise, state, checks, breaks: broken }) =>
      state === 'not checked'
        ? []
        : `  ${state === 'held' ? 'ok      ' : 'BROKEN  '}${promise} ${checks} checks, ${broken} breaks.`,
    ),
    ...(unchecked.length === 0 ? [] : [`  not checked: ${unchecked.join(', ')}`]),
    ...breaks.slice(0, MAX_SHOWN).map(({ invariant, what }) => `  ${invariant}: ${what}`),
    ...Object.entries(reads).map(
      ([period, { p50, p99 }]) => `reads, ${period}: p50 ${p50} ms, p99 ${p99} ms`,
    ),
    `${faults.length} faults, ${Object.entries(totals)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')}`,
    report.is_sound ? 'Everything that was looked at held.' : 'An invariant is broken.',
  ].join('\n');
}
