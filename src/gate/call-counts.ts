import { Counter, Gauge } from 'prom-client';
import { DurationCounts } from './duration-counts.ts';
import type { MetricsRegistry } from './metrics-registry.ts';

type Labels = { readonly network: string; readonly method: string };
type EndedCalls = Labels & {
  readonly outcome: string;
  readonly calls: number;
  readonly durationMs: number;
};
type CallsOfMethod = { readonly outcomes: Map<string, number>; readonly durations: DurationCounts };

const DURATION = 'keyslot_rpc_duration_seconds';
const DURATION_HELP =
  'Time from a call to its reply, or to the first byte of a large one; calls of a batch that travel together take the time of all';

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
      help: 'Calls that are being served',
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

  start(network: string, calls: number): void {
    add(this.#underWay, network, calls);
  }

  /** Subtracts calls that were started and have not ended. */
  withdraw(network: string, calls: number): void {
    add(this.#underWay, network, -calls);
  }

  /** Records calls that ended in the same way, each after this time. */
  end({ network, method, outcome, calls, durationMs }: EndedCalls): void {
    add(this.#underWay, network, -calls);
    const methods = entry(this.#ended, network, () => new Map<string, CallsOfMethod>());
    const { outcomes, durations } = entry(methods, method, () => ({
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
