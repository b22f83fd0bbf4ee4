/**
 * Work under way with sealed keys in its hands: new ones that no row has yet, or ones that were read from rows. A master key can be
 * forgotten only when nobody holds what is sealed under it.
 */
export type SealedWork = {
  /** Begins a piece of work. Call what it returns when everything that was sealed is committed or given up. */
  readonly begin: () => () => void;
  /** Resolves when all work that is under way now has ended; what begins later is not waited for. */
  readonly settled: () => Promise<void>;
};

/** The work of this process; none is under way. */
export function createSealedWork(): SealedWork {
  const underWay = new Set<Promise<void>>();
  return {
    begin() {
      const { promise, resolve } = Promise.withResolvers<void>();
      underWay.add(promise);
      return () => {
        underWay.delete(promise);
        resolve();
      };
    },
    settled: async () => void (await Promise.all(underWay)),
  };
}
