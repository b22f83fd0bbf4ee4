import { Counter, Gauge, type Registry } from 'prom-client';
import type { ErrorName } from '../../generated/errors.ts';

/** What is counted of limits and of the counts themselves. */
export type LimitMetrics = {
  /** A request that the plan of its key did not allow. */
  readonly countRefusal: (plan: string, error: ErrorName) => void;
  /** Messages whose counts are lost. */
  readonly countLost: (messages: number) => void;
  /** Reads how many counts wait for the store whenever the metrics are asked for. */
  readonly watchUnwritten: (readRows: () => number) => void;
};

/** Adds the metrics of limits to a registry. The label `plan` is a name of the specification or of an operator. */
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
    help: 'Messages that are missing in the usage: the store could not take their counts',
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
