import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Returns how many bytes of the heap stay for each of `count` calls of `keep`, and of what it returns. */
export async function keptBytes(count: number, keep: (index: number) => unknown): Promise<number> {
  const kept: unknown[] = [await keep(0)];
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let index = 1; index <= count; index++) kept.push(await keep(index));
  collectGarbage();
  const bytes = process.memoryUsage().heapUsed - before;
  expect(kept).toHaveLength(count + 1);
  return bytes / count;
}
