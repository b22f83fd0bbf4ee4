/** Who adds objects to a token and who looks through them, one after the other. See `createObjectTurns`. */
export type ObjectTurns = {
  /** Adds objects to the token. Several do so at once, and none while somebody looks or waits to look. */
  readonly adding: <T>(work: () => Promise<T>) => Promise<T>;
  /** Looks through what the token has, or takes away from it, when all that is being added is there. */
  readonly looking: <T>(work: () => T) => Promise<T>;
};

/**
 * Nobody looks through the objects of a token while a thread adds one. PKCS#11 allows it; SoftHSM reads an object that is half
 * made from its file, over what the thread that makes it has in memory, and the key comes out with parts missing. Who
 * waits to look goes before who waits to add, so that a batch of keys keeps no signature waiting to its end.
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
