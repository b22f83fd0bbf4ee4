const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A line of a histogram: the suffix of its name, its value, and the label `le` of a bucket. */
export type DurationLine = {
  readonly suffix: '_bucket' | '_sum' | '_count';
  readonly value: number;
  readonly le?: number | '+Inf';
};

/** A histogram of durations. */
export class DurationCounts {
  /** Counts per bucket, not cumulative; the last one holds the durations above all buckets. */
  readonly #counts: number[] = new Array(BUCKETS_S.length + 1).fill(0);
  #sumS = 0;

  /** Adds a duration in seconds, `times` times. */
  add(durationS: number, times: number): void {
    let bucket = 0;
    while (bucket < BUCKETS_S.length && durationS > (BUCKETS_S[bucket] ?? 0)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + times;
    this.#sumS += durationS * times;
  }

  /** Returns the lines in Prometheus form: each bucket includes the ones before it. */
  read(): readonly DurationLine[] {
    let count = 0;
    const lines = this.#counts.map((own, bucket): DurationLine => {
      count += own;
      return { suffix: '_bucket', le: BUCKETS_S[bucket] ?? '+Inf', value: count };
    });
    return [...lines, { suffix: '_sum', value: this.#sumS }, { suffix: '_count', value: count }];
  }
}
