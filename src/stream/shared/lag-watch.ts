export type LagWatchOptions = {
  /** The newest slot that the nodes of this process have shown; undefined while it is not known. */
  readonly shownSlot: () => bigint | undefined;
  /** The published blocks may be this much later. */
  readonly boundMs: () => number;
};

/** Compares the blocks that are published with what the nodes of this process have shown. */
export type LagWatch = {
  /**
   * Call it often. Returns true while a slot that was shown longer ago than the bound is not published yet.
   *
   * @param publishedSlot the newest slot that is published.
   */
  readonly isLate: (publishedSlot: bigint) => boolean;
};

/** Measures by one slot at a time: the newest that was shown when the last one was published. */
export function createLagWatch({ shownSlot, boundMs }: LagWatchOptions): LagWatch {
  let missing: { readonly slot: bigint; readonly sinceMs: number } | undefined;
  return {
    isLate: (publishedSlot) => {
      if (missing !== undefined && publishedSlot >= missing.slot) missing = undefined;
      const shown = shownSlot();
      if (missing === undefined && shown !== undefined && shown > publishedSlot)
        missing = { slot: shown, sinceMs: performance.now() };
      return missing !== undefined && performance.now() - missing.sinceMs >= boundMs();
    },
  };
}
