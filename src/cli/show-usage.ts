import { type Clock, systemClock } from '../base/clock.ts';
import { serviceError } from '../base/service-error.ts';
import { askServer } from './ask-server.ts';
import { parseDuration } from './duration.ts';
import type { Terminal } from './terminal.ts';
import type { UsageCommand } from './usage-options.ts';
import { describeUsage } from './usage-text.ts';

const DEFAULT_SINCE = '24h';
const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * `keyslot usage`: what was counted, by the running server of the data directory with what it has not stored yet; where none
 * runs, what its store has.
 *
 * @throws ServiceError what is wrong with the command, or keeps it from being done.
 */
export async function showUsage({ options }: UsageCommand, terminal: Terminal): Promise<void> {
  const { account, key: id, by, since = DEFAULT_SINCE } = options;
  const request = { kind: 'usage', account, id, by, sinceMs: readSince(String(since), systemClock) };
  await askServer(options, terminal, { request, describe: describeUsage });
}

/** The instant that a duration goes back to, or that ISO 8601 names: a day begins at midnight UTC, a time has its offset. */
function readSince(since: string, clock: Clock): number {
  const durationMs = parseDuration(since);
  if (durationMs !== undefined) return Math.max(0, clock.nowMs() - durationMs);
  const sinceMs = INSTANT.test(since) ? Date.parse(since) : Number.NaN;
  if (sinceMs >= 0 && sinceMs <= clock.nowMs()) return sinceMs;
  throw serviceError('invalidCommand', {
    reason: `--since is ${JSON.stringify(since)}; must be such as 30m, 24h or 7d, or an instant in the past such as 2025-01-31 or 2025-01-31T12:00Z`,
  });
}
