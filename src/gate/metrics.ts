import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ErrorName } from '../../generated/errors.ts';
import { isMethodName } from '../../generated/ledger/methods.ts';
import { isSubscriptionName, isUnsubscribeName } from '../../generated/ledger/subscriptions.ts';
import type { ReplyMemory } from '../rpc/reply-memory.ts';
import { CallCounts } from './call-counts.ts';

/** How a call ended: `ok`, an error that the node answered, the client's leaving, or an error of our catalogue. */
export type Outcome = 'ok' | 'nodeError' | 'cancelled' | ErrorName;

/** So many calls of a method that ended in the same way, after the same time. */
export type CallRecord = {
  readonly network: string;
  readonly method: string;
  readonly outcome: Outcome;
  readonly calls: number;
  readonly durationMs: number;
};

/** Everything that is counted. Labels are names of the spec and of the configuration, never what a client sent; `createDriftMetrics` says what is beside them. */
export type Metrics = {
  readonly registry: Registry;
  readonly startCalls: (network: string, calls: number) => void;
  readonly endCalls: (record: CallRecord) => void;
  /** Calls that were started and are started again in another way. */
  readonly withdrawCalls: (network: string, calls: number) => void;
  /** A request that was refused or failed before it was a call: key, size, path, body. */
  readonly countRefusal: (error: ErrorName) => void;
  readonly countUpstreamError: (network: string, error: ErrorName) => void;
  readonly countRetry: (network: string) => void;
  /** A call that the cache answered (alone, or together with another one that was under way), or did not. */
  readonly countCache: (network: string, method: string, outcome: 'hit' | 'collapsed' | 'miss') => void;
  /** Reads the size of the cache whenever the metrics are asked for. */
  readonly watchCache: (readBytes: () => number) => void;
  /** Reads a child's state whenever the metrics are asked for. */
  readonly watchChild: (child: string, read: ReadChild) => void;
  /** Reads how full the memory for replies is whenever the metrics are asked for. */
  readonly watchReplyMemory: (memory: ReplyMemory) => void;
};

/** A registry of its own per app, process metrics included. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const calls = new CallCounts(registry);
  const refusals = counter(
    registers,
    'keyslot_http_refusals_total',
    'Requests refused before they were calls',
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
    'Calls for answers that may be kept, by outcome: hit, collapsed, miss',
    ['network', 'method', 'outcome'],
  );
  return {
    registry,
    startCalls: (network, count) => calls.start(network, count),
    endCalls: ({ method, ...record }) => {
      calls.end({ ...record, method: isKnown(method) ? method : 'unknown' });
    },
    withdrawCalls: (network, count) => calls.withdraw(network, count),
    countRefusal: (error) => refusals.inc({ error }),
    countUpstreamError: (network, error) => broken.inc({ network, error }),
    countRetry: (network) => retries.inc({ network }),
    countCache: (network, method, outcome) => cached.inc({ network, method, outcome }),
    watchCache: (readBytes) => {
      new Gauge({
        name: 'keyslot_cache_bytes',
        help: 'Memory held by kept answers',
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
      watch('keyslot_held_reply_limit_bytes', 'Most bytes of replies held in memory', () => limitBytes);
    },
  };
}

function isKnown(method: string): boolean {
  return isMethodName(method) || isSubscriptionName(method) || isUnsubscribeName(method);
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

/** The gauges of child processes: read when they are asked for. */
function watchChildren(registers: Registry[]): Metrics['watchChild'] {
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
  gauge('keyslot_child_up', 'Whether a child process is ready', ({ isReady }) => (isReady ? 1 : 0));
  gauge('keyslot_child_restarts', 'How often a child process was started again', ({ restarts }) => restarts);
  return (child, read) => void children.set(child, read);
}
