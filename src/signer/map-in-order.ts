/**
 * Maps with so many calls under way at the same time; the results are in the order of the items. The first failure is
 * thrown, and no further call is begun after it.
 */
export async function mapInOrder<T, R>(
  items: readonly T[],
  concurrency: number,
  map: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.entries();
  let hasFailed = false;
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (hasFailed) return;
      try {
        results[index] = await map(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
  return results;
}
