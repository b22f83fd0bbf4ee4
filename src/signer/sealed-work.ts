/**
 * Work under way with sealed keys in its hands: new ones that no row has yet, or ones that were read from rows. A master key can be
 * forgotten only when nobody holds what is sealed under it.
 */
export type SealedWork = {
  /** Begins a piece of work. Call what it returns when everything that was sealed is committed or given up. */
  readonly begin: () => () => void;
  /**
   * Changes when somebody begins to wait. A key that was sealed in an earlier generation, and that no work has held since, may be
   * sealed under a master key that is forgotten: it is not to be stored.
   */
  readonly generation: () => number;
  /** Resolves when all work that is under way now has ended; what begins later is not waited for, and is of another generation. */
  readonly settled: () => Promise<void>;
};

/** The work of this process; none is under way. */
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
