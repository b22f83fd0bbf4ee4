/** Requests in progress, including those whose client has disconnected. */
export type InFlightRequests = {
  readonly include: <T>(work: Promise<T>) => Promise<T>;
  /** Resolves when none is in progress: everything they made is charged, released and recorded. */
  readonly settled: () => Promise<void>;
};

/** Creates an empty set. */
export function createInFlightRequests(): InFlightRequests {
  const underWay = new Set<Promise<unknown>>();
  return {
    include: async (work) => {
      underWay.add(work);
      try {
        return await work;
      } finally {
        underWay.delete(work);
      }
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}
