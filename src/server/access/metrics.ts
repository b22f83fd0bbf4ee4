import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { ErrorName } from '../../../generated/errors.ts';
import type { ReplyMemory } from '../../core/rpc/reply-memory.ts';
import { CallCounts } from './call-counts.ts';
import { MetricsRegistry } from '../../core/metrics-registry.ts';

/**
 * All metrics. Labels are names from the spec and the configuration, never what a client sent; `createDriftMetrics` names the
 * exception.
 */
export type Metrics = {
  readonly registry: Registry;
  readonly calls: CallCounts;
  /** Counts a request that was refused or failed before it became a call: key, size, path, body. */
  readonly countRefusal: (error: ErrorName) => void;
  readonly countUpstreamError: (network: string, error: ErrorName) => void;
  readonly countRetry: (network: string) => void;
  /** Counts a call that the cache answered (`hit`), that shared another call in flight (`collapsed`), or neither (`miss`). */
  readonly countCache: (network: string, method: string, outcome: 'hit' | 'collapsed' | 'miss') => void;
  /** Reads the size of the cache at each scrape. */
  readonly watchCache: (readBytes: () => number) => void;
  /** Reads a child's state at each scrape. */
  readonly watchChild: (child: string, read: ReadChild) => void;
  /** Reads the use of the reply memory at each scrape. */
  readonly watchReplyMemory: (memory: ReplyMemory) => void;
};

/** Creates the metrics with a registry per app, process metrics included. */
export function createMetrics(): Metrics {
  const registry = new MetricsRegistry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const refusals = counter(
    registers,
    'keyslot_http_refusals_total',
    'Requests refused before they became calls',
    ['error'],
  );
  const broken = counter(
    registers,
    'keyslot_upstream_errors_total',
    'Calls that a ledger node failed to answer',
    ['network', 'error'],
  );
  const retries = counter(registers, 'keyslot_upstream_retries_total', 'Reads sent a second time', [
    'network',
  ]);
  const cached = counter(
    registers,
    'keyslot_cache_requests_total',
    'Calls whose answers may be cached, by outcome: hit, collapsed, miss',
    ['network', 'method', 'outcome'],
  );
  return {
    registry,
    calls: new CallCounts(registry),
    countRefusal: (error) => refusals.inc({ error }),
    countUpstreamError: (network, error) => broken.inc({ network, error }),
    countRetry: (network) => retries.inc({ network }),
    countCache: (network, method, outcome) => cached.inc({ network, method, outcome }),
    watchCache: (readBytes) => {
      new Gauge({
        name: 'keyslot_cache_bytes',
        help: 'Memory held by cached answers',
        registers,
        collect() {
          this.set(readBytes());
        },
      });
    },
    watchChild: watchChildren(registers),
    watchReplyMemory: ({ limitBytes, heldBytes }) => {
      const watch = (name: string, help: string, read: () => number): Gauge =>
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(read());
          },
        });
      watch('keyslot_held_reply_bytes', 'Bytes of replies held in memory', heldBytes);
      watch('keyslot_held_reply_limit_bytes', 'Maximum bytes of replies held in memory', () => limitBytes);
    },
  };
}

function counter<L extends string>(
  registers: Registry[],
  name: string,
  help: string,
  labelNames: readonly L[],
) {
  return new Counter({ name, help, labelNames: [...labelNames], registers });
}

type ReadChild = () => { readonly isReady: boolean; readonly restarts: number };

/** Adds the gauges of child processes, which are read at each scrape. @returns a function that adds a child. */
export function watchChildren(registers: Registry[]): Metrics['watchChild'] {
  const children = new Map<string, ReadChild>();
  const gauge = (name: string, help: string, read: (child: ReturnType<ReadChild>) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ['child'] as const,
      registers,
      collect() {
        for (const [child, readChild] of children) this.set({ child }, read(readChild()));
      },
    });
  };
  gauge('keyslot_child_up', '1 while a child process is ready, 0 otherwise', ({ isReady }) =>
    isReady ? 1 : 0,
  );
  gauge('keyslot_child_restarts', 'Restarts of a child process', ({ restarts }) => restarts);
  return (child, read) => void children.set(child, read);
}
