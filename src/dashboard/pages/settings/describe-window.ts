import { formatCount } from '../../parts/format-number.ts';

/** The number of requests allowed in a time window. */
export type RequestWindow = { readonly requests: number; readonly window_seconds: number };

/** Returns a limit in words, such as `600 requests a minute`. */
export function describeWindow({ requests, window_seconds: seconds }: RequestWindow): string {
  return `${formatCount(requests)} requests ${WINDOWS[seconds] ?? `in ${formatCount(seconds)} s`}`;
}

const WINDOWS: Readonly<Record<number, string>> = { 1: 'a second', 60: 'a minute', 3600: 'an hour' };
