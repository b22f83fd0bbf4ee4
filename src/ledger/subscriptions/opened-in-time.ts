import type { CallSignal } from '../../rpc/call-signal.ts';
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
  const timer = setTimeout(() => late.reject(serviceError('upstreamUnavailable')), limitMs);
  const forget = signal.onAbort((reason) => late.reject(reason));
  try {
    return await Promise.race([opened.promise, late.promise]);
  } finally {
    clearTimeout(timer);
    forget();
  }
}
