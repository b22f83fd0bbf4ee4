import { failureCode, retryAfterSeconds } from './failure-code.ts';

/**
 * Repeats a call that is refused because the account made too many requests, after the time that the server asks for. For long
 * work of many calls; every other error is thrown at once, and the signal ends the wait.
 */
export async function patiently<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      signal.throwIfAborted();
      return await call();
    } catch (error) {
      if (failureCode(error) !== 'account_rate_limited') throw error;
      await wait((retryAfterSeconds(error) ?? 1) * 1_000, signal);
    }
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
