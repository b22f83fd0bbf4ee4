import type { OwnReads } from './own-reads.ts';
import type { Sharing } from './readers.ts';
import type { SeenSlots, SentSeen } from './seen-slots.ts';

/** What a reader was shown is told to the other gateways this long after it, at most, while they can be told. */
const REPORT_MS = 50;
/** Readers of one report. The others come with the next one. */
const MAX_READERS = 500;
/** Readers that wait while nobody can be told; the earliest are left out. */
const MAX_WAITING = 20_000;

/** What readers of one network were shown. */
export type SeenReport = { readonly network: string; readonly seen: readonly SentSeen[] };

export type SeenReporter = {
  readonly isUp: () => boolean;
  /** Tells the other gateways. @throws Error if it is not known to have arrived. */
  readonly send: (report: SeenReport) => Promise<void>;
};

export type SeenReportsOptions = Pick<Sharing, 'nameOf'> & {
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
};

export type SeenReports = {
  /** Tells what waits to be told. */
  readonly flush: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Tells other gateways what readers are shown, off the path of their requests: once every 50 ms, only what became higher, and each reader
 * once.
 */
export function startSeenReports(
  networks: ReadonlyMap<string, Pick<OwnReads, 'share'>>,
  { isUp, send }: SeenReporter,
  { nameOf, nowMs }: SeenReportsOptions,
): SeenReports {
  const waiting = new Map([...networks.keys()].map((network) => [network, new Set<SeenSlots>()]));
  let timer: NodeJS.Timeout | undefined;
  const later = (): void => {
    timer ??= setTimeout(() => void flush(), REPORT_MS).unref();
  };
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    await Promise.all([...waiting].map(([network, readers]) => report(network, readers)));
    for (const readers of waiting.values()) if (readers.size > 0) later();
  };
  const report = async (network: string, readers: Set<SeenSlots>): Promise<void> => {
    if (!isUp() || readers.size === 0) return;
    const due = [...readers].slice(0, MAX_READERS);
    for (const each of due) readers.delete(each);
    try {
      await send({ network, seen: due.map((each) => each.send(nowMs())) });
    } catch {
      // The loss is counted and logged where the connection is; it is told again.
      for (const each of due) readers.add(each);
    }
  };
  for (const [network, ownReads] of networks) {
    const readers = waiting.get(network);
    const onSeen = (seen: SeenSlots): void => {
      if (readers === undefined) return;
      readers.add(seen);
      if (readers.size > MAX_WAITING)
        for (const earliest of readers.keys()) {
          readers.delete(earliest);
          break;
        }
      later();
    };
    ownReads.share({ nameOf, onSeen });
  }
  return {
    flush,
    close: async () => {
      await flush();
      clearTimeout(timer);
    },
  };
}
