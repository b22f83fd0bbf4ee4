import { Counter, Gauge, type Registry } from 'prom-client';
import type { ErrorName } from '../../generated/errors.ts';

/** Metrics of limits and of the usage counts themselves. */
export type LimitMetrics = {
  /** Counts a request that the key's plan did not allow. */
  readonly countRefusal: (plan: string, error: ErrorName) => void;
  /** Counts messages whose usage counts are lost. */
  readonly countLost: (messages: number) => void;
  /** Reads the number of rows that wait for the store at each scrape. */
  readonly watchUnwritten: (readRows: () => number) => void;
};

/** Adds the metrics of limits to a registry. The label `plan` is a name from the specification or the operator. */
export function createLimitMetrics(registry: Registry): LimitMetrics {
  const registers = [registry];
  const refusals = new Counter({
    name: 'keyslot_limit_refusals_total',
    help: 'Requests that the plan of their key did not allow',
    labelNames: ['plan', 'error'] as const,
    registers,
  });
  const lost = new Counter({
    name: 'keyslot_usage_lost_total',
    help: 'Calls and pushed messages that are missing in the usage: the store could not take their counts',
    registers,
  });
  return {
    countRefusal: (plan, error) => refusals.inc({ plan, error }),
    countLost: (messages) => lost.inc(messages),
    watchUnwritten: (readRows) => {
      new Gauge({
        name: 'keyslot_usage_unwritten_rows',
        help: 'Rows of usage in memory that the store has not taken yet',
        registers,
        collect() {
          this.set(readRows());
        },
      });
    },
  };
}
