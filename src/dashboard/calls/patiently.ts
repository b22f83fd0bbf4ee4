import { RestCallError } from '../../../runtime/rest-call.ts';
import { retryAfterSeconds } from './failure-code.ts';

const MOST_TRIES = 6;
const MOST_WAIT_SECONDS = 120;

/**
 * Repeats a call that is refused because of a rate limit or a busy server (status 429 or 503), after the requested time of up to two
 * minutes, at most six times. For long work of many calls. Other errors are thrown at once, and the signal ends the wait.
 */
export async function patiently<T>(
  call: () => Promise<T>,
  signal: AbortSignal,
  wait: typeof waitMs = waitMs,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      signal.throwIfAborted();
      return await call();
    } catch (error) {
      const seconds = retryAfterSeconds(error) ?? 1;
      if (!isBusy(error) || tries === MOST_TRIES || seconds > MOST_WAIT_SECONDS) throw error;
      await wait(seconds * 1_000, signal);
    }
  }
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof RestCallError)) return false;
  const { failure } = error;
  return 'status' in failure && (failure.status === 429 || failure.status === 503);
}

function waitMs(ms: number, signal: AbortSignal): Promise<void> {
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

type Query = { readonly limit: number; readonly cursor?: string };

/** Reads all pages of a list, one after the other, until the signal aborts. */
export async function* walkPages<P extends { readonly next_cursor?: string | undefined }>(
  read: (query: Query, signal: AbortSignal) => Promise<P>,
  signal: AbortSignal,
): AsyncGenerator<P> {
  let cursor: string | undefined;
  do {
    const query = { limit: 1_000, ...(cursor !== undefined && { cursor }) };
    const page = await patiently(() => read(query, signal), signal);
    yield page;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
}
