import type { Logger } from 'pino';
import { ServiceError } from '../core/service-error.ts';

/**
 * Runs work that must be done even after its request is over, such as charging for delivered wallets: at once and, while the store, the
 * signer or its token fails, again every second until it succeeds or the process ends. The work must be safe to repeat.
 *
 * @throws the error of the first try.
 */
export type RetryUntilSettled = (work: () => Promise<void>) => Promise<void>;

const PAUSE_MS = 1_000;

/** @param pauseMs pause between two tries. */
export function createRetryUntilSettled(log: Pick<Logger, 'error'>, pauseMs = PAUSE_MS): RetryUntilSettled {
  const again = (work: () => Promise<void>): void => {
    setTimeout(() => {
      work().catch((error: unknown) => {
        if (isOutage(error)) again(work);
        else log.error({ err: error }, 'cannot settle a wallet request');
      });
    }, pauseMs).unref();
  };
  return async (work) => {
    try {
      await work();
    } catch (error) {
      if (isOutage(error)) again(work);
      throw error;
    }
  };
}

const OUTAGES: ReadonlySet<string> = new Set([
  ...['storeUnavailable', 'storeRefused'],
  ...['signerUnavailable', 'keyBackendFailed'],
]);

/** True of an error after which the same work may succeed. */
export function isOutage(error: unknown): boolean {
  return error instanceof ServiceError && OUTAGES.has(error.code);
}
