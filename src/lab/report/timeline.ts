/** A fault as the report shows it. `to_ms` is when the target worked again. */
export type ShownFault = {
  readonly part: string;
  readonly kind: string;
  readonly target: string;
  readonly what: string;
  readonly from_ms: number;
  readonly to_ms: number;
};

/** What happened in one span of the run: counts by name, and milliseconds of reads. */
export type Span = {
  readonly from_ms: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly reads_ms: { readonly p50: number; readonly p99: number; readonly max: number };
};

type Open = { readonly counts: Map<string, number>; readonly readsMs: number[] };

/** Of the reads of a span so many are kept for its figures; beyond that, the later ones replace earlier ones. */
const MAX_READS = 2_000;
/** The most spans of a report. */
const MAX_SPANS = 240;

/** Keeps what happens when, for the report: memory follows from the number of spans, not of requests. */
export class Timeline {
  readonly faults: ShownFault[] = [];
  /** Sources that found no target free, by part and kind. */
  readonly passedOver = new Map<string, number>();
  readonly spanMs: number;
  readonly nowMs: () => number;
  readonly #spans = new Map<number, Open>();
  readonly #totals = new Map<string, number>();

  /** @param nowMs milliseconds since the run began. @param durationMs how long it is meant to take. */
  constructor(nowMs: () => number, durationMs: number) {
    this.nowMs = nowMs;
    this.spanMs = Math.max(1_000, Math.ceil(durationMs / MAX_SPANS / 1_000) * 1_000);
  }

  count(name: string, by = 1): void {
    const { counts } = this.#open();
    counts.set(name, (counts.get(name) ?? 0) + by);
    this.#totals.set(name, (this.#totals.get(name) ?? 0) + by);
  }

  /** Notes a read that was answered. */
  read(protocol: string, ms: number): void {
    this.count(`${protocol}_reads`);
    const { readsMs, counts } = this.#open();
    const seen = counts.get('timed') ?? 0;
    counts.set('timed', seen + 1);
    readsMs[seen % MAX_READS] = ms;
  }

  totals(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#totals].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  spans(): readonly Span[] {
    return [...this.#spans]
      .toSorted(([a], [b]) => a - b)
      .map(([at, { counts, readsMs }]) => ({
        from_ms: at * this.spanMs,
        counts: Object.fromEntries([...counts].filter(([name]) => name !== 'timed')),
        reads_ms: figuresOf(readsMs),
      }));
  }

  /** The figures of all reads that were kept. */
  latency(): Span['reads_ms'] {
    return figuresOf([...this.#spans.values()].flatMap(({ readsMs }) => readsMs));
  }

  #open(): Open {
    const at = Math.floor(this.nowMs() / this.spanMs);
    const found = this.#spans.get(at);
    if (found !== undefined) return found;
    const opened: Open = { counts: new Map(), readsMs: [] };
    this.#spans.set(at, opened);
    return opened;
  }
}

function figuresOf(readsMs: readonly number[]): Span['reads_ms'] {
  const sorted = readsMs.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
