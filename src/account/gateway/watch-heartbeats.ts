/** A process, and the time of its last heartbeat. */
export type Heartbeat = { readonly id: string; readonly seenAt: Date };

/** Takes the last heartbeats of all processes. @returns the ids of those that were silent for too long. */
export type WatchHeartbeats = (heartbeats: readonly Heartbeat[]) => ReadonlySet<string>;

/** A process without a heartbeat for so long, while this one had all of its own, is gone. */
const SILENT_MS = 60_000;
/** Time of two heartbeats: this process had none in between. */
const GAP_MS = 20_000;

type Watched = { readonly seenAtMs: number; readonly sinceMs: number };

/**
 * Watches the heartbeats of other processes, which is asked at each heartbeat of this one that succeeded. A process is silent if this one has
 * seen the same heartbeat of it for a minute, without a gap in its own: while the store answers nobody, nobody is silent.
 *
 * @param elapsedMs a clock that nobody sets; clocks of other machines and of the store do not count.
 */
export function watchHeartbeats(elapsedMs: () => number): WatchHeartbeats {
  let lastMs = Number.NEGATIVE_INFINITY;
  let watched: ReadonlyMap<string, Watched> = new Map();
  return (heartbeats) => {
    const nowMs = elapsedMs();
    const before = nowMs - lastMs > GAP_MS ? new Map<string, Watched>() : watched;
    lastMs = nowMs;
    watched = new Map(
      heartbeats.map(({ id, seenAt }) => {
        const known = before.get(id);
        const seenAtMs = seenAt.getTime();
        return [id, known?.seenAtMs === seenAtMs ? known : { seenAtMs, sinceMs: nowMs }];
      }),
    );
    const silent = [...watched].filter(([, { sinceMs }]) => nowMs - sinceMs >= SILENT_MS);
    return new Set(silent.map(([id]) => id));
  };
}
