import { serviceError } from '../base/service-error.ts';
import { parseDuration } from './duration.ts';

const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * The instant of an option such as `--since`, in milliseconds: a duration goes back from now; ISO 8601 names an instant in the past,
 * where a day begins at midnight UTC and a time has its offset.
 *
 * @throws ServiceError `invalidCommand`.
 */
export function readSince(option: string, value: unknown, nowMs: number): number {
  const text = String(value);
  const durationMs = parseDuration(text);
  if (durationMs !== undefined) return Math.max(0, nowMs - durationMs);
  const instantMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (instantMs >= 0 && instantMs <= nowMs) return instantMs;
  throw serviceError('invalidCommand', {
    reason: `--${option} must be a duration such as 30m, 24h or 7d, or an instant in the past such as 2025-01-31 or 2025-01-31T12:00Z, got ${JSON.stringify(text)}`,
  });
}

const MINUTE_MS = 60_000;

/**
 * The instant of an option such as `--from`, in milliseconds: a duration goes on from now, up to the next whole minute; ISO 8601 names an
 * instant.
 *
 * @throws ServiceError `invalidCommand`.
 */
export function readFuture(option: string, value: unknown, nowMs: number): number {
  const text = String(value ?? '');
  const durationMs = parseDuration(text);
  if (durationMs !== undefined) return Math.ceil((nowMs + durationMs) / MINUTE_MS) * MINUTE_MS;
  const instantMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (instantMs >= 0) return instantMs;
  throw serviceError('invalidCommand', {
    reason: `--${option} must be an instant such as 2026-01-17T02:00Z, or a duration from now such as 2d, got ${JSON.stringify(text)}`,
  });
}
