import type { CallSignal } from '../../rpc/call-signal.ts';
import { startDeadline } from '../../base/deadline.ts';
import { serviceError } from '../../base/service-error.ts';
import type { SharedSubscription } from './shared-subscription.ts';

/**
 * Waits until the node has accepted a subscription.
 *
 * @returns the error object with which it refused it, if it did.
 * @throws ServiceError `upstreamUnavailable` after `limitMs`; the signal's reason; the error that kept it from being opened.
 */
export async function openedInTime(
  { opened }: SharedSubscription,
  limitMs: number,
  signal: CallSignal,
): Promise<Buffer | undefined> {
  const late = Promise.withResolvers<never>();
  const endWait = startDeadline(limitMs, () => late.reject(serviceError('upstreamUnavailable')));
  const forget = signal.onAbort((reason) => late.reject(reason));
  try {
    return await Promise.race([opened.promise, late.promise]);
  } finally {
    endWait();
    forget();
  }
}
