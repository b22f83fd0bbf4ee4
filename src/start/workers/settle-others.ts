import { serviceError } from '../../base/service-error.ts';
import type { SupervisedWorker } from './supervise-worker.ts';
import { SETTLE_MS } from './worker-messages.ts';

/**
 * Resolves when the work with sealed keys that the workers other than `asking` have under way has ended.
 *
 * @throws ServiceError `rotationUnfinished` when one of them is not there, or dies meanwhile: what it had begun may still be committed.
 */
export async function settleOthers(workers: readonly SupervisedWorker[], asking: number): Promise<void> {
  const others = workers.filter(({ number }) => number !== asking);
  const absent = others.find(({ child }) => child.state !== 'ready');
  if (absent !== undefined)
    throw serviceError('rotationUnfinished', { reason: `worker ${absent.number} is being started again` });
  await Promise.all(others.map((worker) => worker.call('settle', null, SETTLE_MS)));
}
