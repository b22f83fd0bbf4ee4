import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * Counts the calls of all networks with plain additions; the form that Prometheus reads is made when it is asked for, because a
 * counter with labels costs ten times as much per call.
 */
export class CallCounts {
  readonly #underWay = new Map<string, number>();
  readonly #ended = new Map<string, Map<string, Map<string, number>>>();

  constructor(registry: Registry) {
    const registers = [registry];
    const [underWay, ended] = [this.#underWay, this.#ended];
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
        for (const [network, methods] of ended) {
          for (const [method, outcomes] of methods) {
            for (const [outcome, count] of outcomes) this.inc({ network, method, outcome }, count);
          }
        }
      },
    });
  }

  start(network: string): void {
    add(this.#underWay, network, 1);
  }

  end(network: string, method: string, outcome: string): void {
    add(this.#underWay, network, -1);
    const methods = entry(this.#ended, network, () => new Map<string, Map<string, number>>());
    add(
      entry(methods, method, () => new Map<string, number>()),
      outcome,
      1,
    );
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
