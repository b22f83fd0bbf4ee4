/** Keeps searches of a token's objects apart from additions. See `createObjectLock`. */
export type ObjectLock = {
  /** Adds objects to the token. Several may run at once, but none while a search runs or waits. */
  readonly withAdd: <T>(work: () => Promise<T>) => Promise<T>;
  /** Searches the objects of the token, or removes some, once all additions under way are complete. */
  readonly withSearch: <T>(work: () => T) => Promise<T>;
};

/**
 * Prevents searches of a token's objects while a thread adds one. PKCS#11 allows it; but SoftHSM reads a half-written object from its file
 * over the memory of the thread that makes it, and the key comes out with parts missing. Waiting searches go before waiting additions, so
 * that a batch of keys does not delay a signature until its end.
 */
export function createObjectLock(): ObjectLock {
  let adding = 0;
  let searches: (() => void)[] = [];
  let additions: (() => void)[] = [];

  const endAdd = (): void => {
    adding -= 1;
    if (adding > 0) return;
    const [searched, added] = [searches, additions];
    searches = [];
    additions = [];
    for (const next of [...searched, ...added]) next();
  };
  return {
    withAdd: async (work) => {
      while (searches.length > 0) await new Promise<void>((resume) => additions.push(resume));
      adding += 1;
      try {
        return await work();
      } finally {
        endAdd();
      }
    },
    withSearch: async (work) => {
      if (adding === 0) return work();
      return new Promise((resolve, reject) => {
        searches.push(() => {
          try {
            resolve(work());
          } catch (error) {
            reject(error);
          }
        });
      });
    },
  };
}
