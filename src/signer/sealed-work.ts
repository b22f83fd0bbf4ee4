/**
 * Work under way that holds sealed keys: new ones without a row, or ones that were read from rows. A master key can be dropped only when no
 * work holds a key sealed under it.
 */
export type SealedWork = {
  /** Begins a piece of work. Call the returned function once everything sealed is committed or dropped. */
  readonly begin: () => () => void;
  /**
   * Changes when a wait begins. A key that was sealed in an earlier generation, and held by no work since, may be sealed under a dropped
   * master key: it must not be stored.
   */
  readonly generation: () => number;
  /** Resolves when all work under way now has ended; later work is not waited for, and belongs to another generation. */
  readonly settled: () => Promise<void>;
};

/** Tracks the work of this process; none is under way. */
export function createSealedWork(): SealedWork {
  const underWay = new Set<Promise<void>>();
  let generation = 0;
  return {
    begin() {
      const { promise, resolve } = Promise.withResolvers<void>();
      underWay.add(promise);
      return () => {
        underWay.delete(promise);
        resolve();
      };
    },
    generation: () => generation,
    async settled() {
      generation += 1;
      await Promise.all(underWay);
    },
  };
}
