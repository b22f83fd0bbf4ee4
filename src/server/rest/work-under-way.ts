/** Requests that are being worked on, whether or not anybody still waits for their answer. */
export type WorkUnderWay = {
  readonly include: <T>(work: Promise<T>) => Promise<T>;
  /** Resolves when none is worked on: what each made is charged, given back and on record. */
  readonly settled: () => Promise<void>;
};

/** None, at first. */
export function createWorkUnderWay(): WorkUnderWay {
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
