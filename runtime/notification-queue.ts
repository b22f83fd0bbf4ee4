import { CallError } from './call-error.ts';

/** A gap between two notifications, and its reason. An unknown slot is undefined; both ends are included. */
export type GapReport = {
  /** The server lost its node; the connection to the server was lost; notifications were not read in time. */
  readonly cause: 'server' | 'reconnect' | 'slow-reader';
  readonly fromSlot: bigint | undefined;
  readonly toSlot: bigint | undefined;
  /** The new ledger, if it was replaced and its slots start over. */
  readonly genesisHash?: string;
};

export type QueueOptions<T> = {
  /** Name of the subscribe call, for errors. */
  readonly method: string;
  /** Maximum number of waiting notifications. */
  readonly limit: number;
  /** Beyond that, keep the latest after a gap, or fail the subscription. */
  readonly overflow: 'latest' | 'fail';
  readonly slotOf: (item: T) => bigint | undefined;
  readonly onGap: (gap: GapReport) => void;
};

/** Notifications of one subscription that wait to be read. */
export type NotificationQueue<T> = {
  /** False: there were too many, and the queue has failed. */
  readonly push: (item: T) => boolean;
  /** Adds a gap, which is reported when the reader gets to its position between notifications. */
  readonly gap: (gap: GapReport) => void;
  /** Ends the queue; waiting notifications can still be read. With an error, the reader gets it after them. */
  readonly end: (error?: CallError) => void;
  /** Resolves to the next notification; undefined after the end. Throws the error that it ended with, once. */
  readonly take: () => Promise<{ readonly item: T } | undefined>;
};

type Entry<T> = { readonly item: T } | { readonly gap: GapReport };

/** A queue in memory, bounded. */
export const createQueue = <T>(options: QueueOptions<T>): NotificationQueue<T> => {
  let entries: Entry<T>[] = [];
  let count = 0;
  let ended = false;
  let failure: CallError | undefined;
  let wake: (() => void)[] = [];

  const wakeAll = (): void => {
    const readers = wake;
    wake = [];
    for (const reader of readers) reader();
  };
  const end = (error?: CallError): void => {
    if (ended) return;
    ended = true;
    failure = error;
    wakeAll();
  };
  const gap = (added: GapReport): void => {
    if (ended) return;
    const last = entries.at(-1);
    if (last && 'gap' in last) entries[entries.length - 1] = { gap: join(last.gap, added) };
    else entries.push({ gap: added });
  };
  const dropWaiting = (): void => {
    const slots = entries.flatMap((entry) =>
      'item' in entry ? [options.slotOf(entry.item)] : [entry.gap.fromSlot, entry.gap.toSlot],
    );
    entries = [];
    count = 0;
    gap({ cause: 'slow-reader', fromSlot: lowest(slots), toSlot: highest(slots) });
  };

  return {
    push: (item) => {
      if (ended) return true;
      if (count >= options.limit) {
        if (options.overflow === 'fail') {
          end(new CallError(options.method, { kind: 'overflow', limit: options.limit }));
          return false;
        }
        dropWaiting();
      }
      entries.push({ item });
      count += 1;
      wakeAll();
      return true;
    },
    gap,
    end,
    take: async () => {
      for (;;) {
        const entry = entries.shift();
        if (entry && 'gap' in entry) options.onGap(entry.gap);
        else if (entry) {
          count -= 1;
          return entry;
        } else if (ended) {
          const error = failure;
          failure = undefined;
          if (error) throw error;
          return undefined;
        } else await new Promise<void>((resolve) => wake.push(resolve));
      }
    },
  };
};

/** Joins two consecutive gaps. */
const join = (first: GapReport, second: GapReport): GapReport => ({
  ...first,
  ...second,
  fromSlot: second.genesisHash === undefined ? first.fromSlot : second.fromSlot,
});

type Slots = readonly (bigint | undefined)[];

const lowest = (slots: Slots): bigint | undefined =>
  known(slots).reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);

const highest = (slots: Slots): bigint | undefined =>
  known(slots).reduce<bigint | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined);

const known = (slots: Slots): readonly bigint[] => slots.filter((slot) => slot !== undefined);
