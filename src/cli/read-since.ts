import { serviceError } from '../base/service-error.ts';
import { parseDuration } from './duration.ts';

const DEFAULT = '24h';
const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * The instant of `usage --since`, in milliseconds: a duration goes back from now, 24 hours unless given; ISO 8601 names an instant
 * in the past, where a day begins at midnight UTC and a time has its offset.
 *
 * @throws ServiceError `invalidCommand`.
 */
export function readSince(since: unknown, nowMs: number): number {
  const text = String(since ?? DEFAULT);
  const durationMs = parseDuration(text);
  if (durationMs !== undefined) return Math.max(0, nowMs - durationMs);
  const sinceMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (sinceMs >= 0 && sinceMs <= nowMs) return sinceMs;
  throw serviceError('invalidCommand', {
    reason: `--since must be a duration such as 30m, 24h or 7d, or an instant in the past such as 2025-01-31 or 2025-01-31T12:00Z, got ${JSON.stringify(text)}`,
  });
}
