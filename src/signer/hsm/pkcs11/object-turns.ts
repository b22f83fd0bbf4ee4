/** Serializes adding objects to a token and searching them. See `createObjectTurns`. */
export type ObjectTurns = {
  /** Adds objects to the token. Several may run at once, but none while a search runs or waits. */
  readonly adding: <T>(work: () => Promise<T>) => Promise<T>;
  /** Searches the objects of the token, or removes some, once all additions under way are complete. */
  readonly looking: <T>(work: () => T) => Promise<T>;
};

/**
 * Prevents searches of a token's objects while a thread adds one. PKCS#11 allows it; but SoftHSM reads a half-written object from its file
 * over the memory of the thread that makes it, and the key comes out with parts missing. Waiting searches go before waiting additions, so
 * that a batch of keys does not delay a signature until its end.
 */
export function createObjectTurns(): ObjectTurns {
  let adders = 0;
  let lookers: (() => void)[] = [];
  let waiting: (() => void)[] = [];

  const endAdding = (): void => {
    adders -= 1;
    if (adders > 0) return;
    const [looks, adds] = [lookers, waiting];
    lookers = [];
    waiting = [];
    for (const next of [...looks, ...adds]) next();
  };
  return {
    adding: async (work) => {
      while (lookers.length > 0) await new Promise<void>((resume) => waiting.push(resume));
      adders += 1;
      try {
        return await work();
      } finally {
        endAdding();
      }
    },
    looking: async (work) => {
      if (adders === 0) return work();
      return new Promise((resolve, reject) => {
        lookers.push(() => {
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
