import { collectDefaultMetrics } from 'prom-client';
import type { SupervisedChild } from '../../base/supervised-child.ts';
import { watchChildren } from '../../gate/metrics.ts';
import { MetricsRegistry } from '../../gate/metrics-registry.ts';
import { mergeMetrics, type ProcessMetrics } from './merge-metrics.ts';
import type { SupervisedWorker } from './supervise-worker.ts';

/** The metrics of a supervisor and its workers. */
export type WorkersMetrics = {
  /** Adds the state of a child process to the supervisor's own metrics. */
  readonly watch: (name: string, child: Pick<SupervisedChild<never>, 'state' | 'restarts'>) => void;
  /** Returns the metrics of the supervisor and of these workers. One that does not answer is missing, and its child is down or hangs. */
  readonly read: (workers: readonly SupervisedWorker[]) => Promise<string>;
};

/** Creates the metrics of a supervisor, process metrics included. */
export function createWorkersMetrics(): WorkersMetrics {
  const registry = new MetricsRegistry();
  collectDefaultMetrics({ register: registry });
  const watchChild = watchChildren([registry]);
  return {
    watch: (name, child) =>
      watchChild(name, () => ({ isReady: child.state === 'ready', restarts: child.restarts })),
    read: async (workers) => {
      const own = { worker: 'supervisor', text: await registry.metrics() };
      return mergeMetrics([own, ...(await Promise.all(workers.map(readWorker))).flat()]);
    },
  };
}

async function readWorker(worker: SupervisedWorker): Promise<readonly ProcessMetrics[]> {
  try {
    return [{ worker: String(worker.number), text: String(await worker.call('readMetrics')) }];
  } catch {
    return [];
  }
}
