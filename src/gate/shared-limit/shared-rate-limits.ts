import { serviceError } from '../../base/service-error.ts';
import type { PlanLimit, RateLimit, Taken } from '../rate-limit.ts';
import { createWindows } from '../windows.ts';
import { ServerWindow } from './server-window.ts';
import type { SharedCounts } from './shared-counts.ts';

/** What a server allowed is reported to the others this long after it, at most. */
const MERGE_MS = 50;

/** What happens to requests while the counts are not to be had: each server limits alone, or refuses. */
export type WhenLost = 'open' | 'closed';

export type SharedRateLimits = {
  /** Returns the limit of one use of keys, such as calls: the same name on every server. */
  readonly of: (use: string) => RateLimit;
  /** Reports what waits to be reported, and resolves when that is answered or has failed. */
  readonly merge: () => Promise<void>;
  /** Reports what waits, and stops. */
  readonly close: () => Promise<void>;
};

/**
 * Creates limits that several servers keep together. A server decides by what it knows, and learns what the others allowed within
 * MERGE_MS: a burst that reaches all of them after a pause exceeds the plan by at most what arrives in that time. For a window
 * after a refusal, each charge that a server would allow is decided by the common counts.
 */
export function createSharedRateLimits(counts: SharedCounts, whenLost: WhenLost): SharedRateLimits {
  const { now, report } = counts;
  let waiting = new Set<ServerWindow>();
  let timer: NodeJS.Timeout | undefined;

  const merge = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const due = waiting;
    waiting = new Set();
    const nowMs = now();
    if (!counts.isUp()) {
      for (const window of due) window.forgetPast(nowMs);
      return later([...due]);
    }
    await Promise.all(
      // A failure is counted and logged where the counts are; the report is made again.
      [...due].map((window) => window.exchange(nowMs, report).catch(() => later([window]))),
    );
  };
  const later = (windows: readonly ServerWindow[]): void => {
    for (const window of windows) if (window.hasUnreported()) waiting.add(window);
    if (waiting.size > 0) timer ??= setTimeout(() => void merge(), MERGE_MS).unref();
  };

  /** Decides a charge by the common counts; where they are not to be had, as `whenLost` says. */
  const takeTogether = async (window: ServerWindow, weight: number): Promise<Taken> => {
    const { burst } = window.plan;
    try {
      const isAllowed = await window.exchange(now(), report, { weight, burst });
      const known = window.look(now(), weight);
      return isAllowed ? { ...known, isAllowed, retryMs: 0 } : { ...known, isAllowed };
    } catch {
      return takeAlone(window, weight);
    }
  };
  const takeAlone = (window: ServerWindow, weight: number): Taken => {
    assertAny();
    const taken = window.take(now(), weight);
    if (taken.isAllowed) later([window]);
    return taken;
  };
  const assertAny = (): void => {
    if (whenLost === 'closed' && !counts.isUp()) throw serviceError('limitsUnavailable');
  };

  const of = (use: string): RateLimit => {
    const windows = createWindows(now, (keyId, plan) => new ServerWindow(nameOf(use, keyId, plan), plan));
    return {
      take: async (keyId, plan, weight) => {
        const window = windows.of(keyId, plan);
        const nowMs = now();
        if (!window.isStrict(nowMs) || !counts.isUp()) return takeAlone(window, weight);
        // What is known here was used: what that refuses, the others would refuse too.
        return window.look(nowMs, weight).isAllowed
          ? takeTogether(window, weight)
          : takeAlone(window, weight);
      },
      look: async (keyId, plan) => {
        assertAny();
        return windows.of(keyId, plan).look(now(), 1);
      },
    };
  };
  return { of, merge, close: merge };
}

/** A plan with other figures has other windows. */
function nameOf(use: string, keyId: string, { name, requestsPerSecond, burst }: PlanLimit): string {
  return [use, keyId, name, requestsPerSecond, burst].join(':');
}
