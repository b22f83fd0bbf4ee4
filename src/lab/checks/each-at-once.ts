import { Semaphore, withPermit } from '../../rpc/semaphore.ts';

/** Gateways that are well answer so many requests at once as fast as they answer one after the other, several times over. */
const AT_ONCE = 8;

/** Does something for each item, a few at once: there are a hundred thousand of them after an hour. */
export async function eachAtOnce<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const semaphore = new Semaphore(AT_ONCE);
  await Promise.all([...items].map((item) => withPermit(semaphore, () => work(item))));
}
