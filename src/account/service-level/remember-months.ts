import type { MeasuredMonth } from './measure-month.ts';
import { utcMonth } from '../../base/utc-month.ts';
import { recordedUntil } from './recorded-until.ts';

/** Measures the current month of an account. */
export type MeasureCurrent = (accountId: string, nowMs: number) => Promise<MeasuredMonth>;

/**
 * Remembers what was measured until the next minute is recorded: adding up a month reads its 44,640 minutes, and nothing new is known
 * before. A failure is not remembered.
 */
export function rememberMonths(
  measure: (query: {
    readonly accountId: string;
    readonly month: string;
    readonly nowMs: number;
  }) => Promise<MeasuredMonth>,
): MeasureCurrent {
  const known = new Map<string, Promise<MeasuredMonth>>();
  let measuredAt = '';
  return (accountId, nowMs) => {
    const month = utcMonth(nowMs);
    const now = `${month} ${recordedUntil(nowMs)}`;
    if (now !== measuredAt) known.clear();
    measuredAt = now;
    const remembered = known.get(accountId);
    if (remembered !== undefined) return remembered;
    const measured = measure({ accountId, month, nowMs });
    known.set(accountId, measured);
    measured.catch(() => {
      if (known.get(accountId) === measured) known.delete(accountId);
    });
    return measured;
  };
}
