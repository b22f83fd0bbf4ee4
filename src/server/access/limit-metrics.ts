import { Counter, Gauge, type Registry } from 'prom-client';
import type { ErrorName } from '../../../generated/errors.ts';

/** Metrics of limits and of the usage counts themselves. */
export type LimitMetrics = {
  /** Counts a request that the key's plan did not allow. */
  readonly countRefusal: (plan: string, error: ErrorName) => void;
  /** Counts messages whose usage counts are lost. */
  readonly countLost: (messages: number) => void;
  /** Reads the number of rows that wait for the store at each scrape. */
  readonly watchUnwritten: (readRows: () => number) => void;
};

/** Metrics of limits that servers share through Redis. */
export type SharedLimitMetrics = {
  /** Reads at each scrape whether they are shared now. */
  readonly watchShared: (isUp: () => boolean) => void;
  /** Counts a loss of Redis. */
  readonly countLoss: () => void;
};

/** Adds the metrics of limits to a registry. The label `plan` is a name from the specification or the operator. */
export function createLimitMetrics(registry: Registry): LimitMetrics & SharedLimitMetrics {
  const registers = [registry];
  const refusals = new Counter({
    name: 'keyslot_limit_refusals_total',
    help: 'Requests that the plan of their key did not allow',
    labelNames: ['plan', 'error'] as const,
    registers,
  });
  const lost = new Counter({
    name: 'keyslot_usage_lost_total',
    help: 'Calls and pushed messages missing from the usage: the store could not take their counts',
    registers,
  });
  const losses = new Counter({
    name: 'keyslot_limits_redis_losses_total',
    help: 'Times that the connection to Redis, through which servers share limits, was lost',
    registers,
  });
  return {
    countRefusal: (plan, error) => refusals.inc({ plan, error }),
    countLost: (messages) => lost.inc(messages),
    countLoss: () => losses.inc(),
    watchShared: (isUp) => {
      new Gauge({
        name: 'keyslot_limits_shared',
        help: '1 while limits are shared through Redis, 0 while it is lost',
        registers,
        collect() {
          this.set(isUp() ? 1 : 0);
        },
      });
    },
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
