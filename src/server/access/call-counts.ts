import { Counter, Gauge } from 'prom-client';
import type { ErrorName } from '../../../generated/errors.ts';
import { DURATIONS_UP_TO_S } from '../../account/usage/call-durations.ts';
import type { MetricsRegistry } from '../../core/metrics-registry.ts';
import { weighMethod } from './weigh.ts';

/** The outcome of a call: `ok`, an error from the node, the client's disconnect, or an error of the catalogue. */
export type Outcome = 'ok' | 'nodeError' | 'cancelled' | ErrorName;

type Labels = { readonly network: string; readonly method: string };
type EndedCalls = Labels & {
  readonly outcome: Outcome;
  readonly calls: number;
  readonly durationMs: number;
};
type CallsOfMethod = { readonly outcomes: Map<string, number>; readonly durations: DurationCounts };

const DURATION = 'keyslot_rpc_duration_seconds';
const DURATION_HELP =
  'Time from a call to its reply, or to the first byte of a large one; calls of a batch that are sent together count the time of all';

/**
 * Counts and times the calls of all networks with plain additions. The Prometheus form is built when it is scraped, because a
 * metric with labels costs ten times as much per call.
 */
export class CallCounts {
  readonly #underWay = new Map<string, number>();
  readonly #ended = new Map<string, Map<string, CallsOfMethod>>();

  constructor(registry: MetricsRegistry) {
    const registers = [registry];
    const underWay = this.#underWay;
    const each = (visit: (labels: Labels, calls: CallsOfMethod) => void): void => {
      for (const [network, methods] of this.#ended)
        for (const [method, calls] of methods) visit({ network, method }, calls);
    };
    new Gauge({
      name: 'keyslot_rpc_in_flight',
      help: 'Calls in progress',
      labelNames: ['network'] as const,
      registers,
      collect() {
        for (const [network, count] of underWay) this.set({ network }, count);
      },
    });
    new Counter({
      name: 'keyslot_rpc_calls_total',
      help: 'JSON-RPC calls by method and outcome',
      labelNames: ['network', 'method', 'outcome'] as const,
      registers,
      collect() {
        this.reset();
        each((labels, { outcomes }) => {
          for (const [outcome, count] of outcomes) this.inc({ ...labels, outcome }, count);
        });
      },
    });
    registry.add(() => {
      const lines: string[] = [];
      each(({ network, method }, { durations }) => {
        for (const { suffix, value, le } of durations.read()) {
          const bucket = le === undefined ? '' : `le="${le}",`;
          lines.push(`${DURATION}${suffix}{${bucket}network="${network}",method="${method}"} ${value}`);
        }
      });
      return [`# HELP ${DURATION} ${DURATION_HELP}`, `# TYPE ${DURATION} histogram`, ...lines].join('\n');
    });
  }

  /** Returns the number of ended calls of a network in each bucket of `DURATIONS_UP_TO_S`, and above the last bucket. */
  durations(network: string): readonly number[] {
    const all = [...(this.#ended.get(network)?.values() ?? [])];
    return Array.from({ length: DURATIONS_UP_TO_S.length + 1 }, (_, bucket) =>
      all.reduce((total, { durations }) => total + durations.count(bucket), 0),
    );
  }

  /** Counts calls as in progress. */
  start(network: string, calls: number): void {
    add(this.#underWay, network, calls);
  }

  /** Subtracts started calls that will be started again in another way. */
  withdraw(network: string, calls: number): void {
    add(this.#underWay, network, -calls);
  }

  /** Records calls of a method that ended in the same way, each after this time. Methods that are not in the specification count as one. */
  end({ network, method, outcome, calls, durationMs }: EndedCalls): void {
    add(this.#underWay, network, -calls);
    const methods = entry(this.#ended, network, () => new Map<string, CallsOfMethod>());
    const { outcomes, durations } = entry(methods, weighMethod(method).method, () => ({
      outcomes: new Map<string, number>(),
      durations: new DurationCounts(),
    }));
    add(outcomes, outcome, calls);
    durations.add(durationMs / 1000, calls);
  }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function entry<T>(map: Map<string, T>, key: string, create: () => T): T {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created = create();
  map.set(key, created);
  return created;
}

/** A line of a histogram: the suffix of its name, its value, and the label `le` of a bucket. */
type DurationLine = {
  readonly suffix: '_bucket' | '_sum' | '_count';
  readonly value: number;
  readonly le?: number | '+Inf';
};

/** A histogram of durations. */
class DurationCounts {
  /** Counts per bucket, not cumulative; the last one holds the durations above all buckets. */
  readonly #counts: number[] = new Array(DURATIONS_UP_TO_S.length + 1).fill(0);
  #sumS = 0;

  /** Adds a duration in seconds, `times` times. */
  add(durationS: number, times: number): void {
    let bucket = 0;
    while (bucket < DURATIONS_UP_TO_S.length && durationS > (DURATIONS_UP_TO_S[bucket] ?? 0)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + times;
    this.#sumS += durationS * times;
  }

  /** Returns the durations in a bucket. */
  count(bucket: number): number {
    return this.#counts[bucket] ?? 0;
  }

  /** Returns the lines in Prometheus form: each bucket includes the ones before it. */
  read(): readonly DurationLine[] {
    let count = 0;
    const lines = this.#counts.map((own, bucket): DurationLine => {
      count += own;
      return { suffix: '_bucket', le: DURATIONS_UP_TO_S[bucket] ?? '+Inf', value: count };
    });
    return [...lines, { suffix: '_sum', value: this.#sumS }, { suffix: '_count', value: count }];
  }
}
