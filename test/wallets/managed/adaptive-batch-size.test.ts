import { expect, test } from 'vitest';
import { PacedSize } from '../../../src/wallets/managed/create-managed-batch.ts';

/** The sizes of the first groups of a backend that makes a number of keys in a second. */
async function sizesAt(keysPerSecond: number, groups = 6): Promise<readonly number[]> {
  let nowMs = 0;
  const pace = new PacedSize(() => nowMs);
  const sizes: number[] = [];
  for (let group = 0; group < groups; group += 1) {
    const { size } = pace;
    sizes.push(size);
    await pace.measured(size, async () => {
      nowMs += (size * 1_000) / keysPerSecond;
    });
  }
  return sizes;
}

test.each([
  ['a fast backend', 100_000, [16, 128, 512, 512, 512, 512]],
  ['a token of 200 keys a second', 200, [16, 128, 200, 200, 200, 200]],
  ['a token of 40 keys a second', 40, [16, 40, 40, 40, 40, 40]],
  ['a token of one key a second', 1, [16, 16, 16, 16, 16, 16]],
])('%s makes in a group what it makes in a second, within bounds', async (_name, keysPerSecond, sizes) => {
  expect(await sizesAt(keysPerSecond)).toEqual(sizes);
});

test('what takes no time is no division by zero, and what fails changes nothing', async () => {
  const pace = new PacedSize(() => 0);
  await expect(pace.measured(16, () => Promise.reject(new Error('no key')))).rejects.toThrow('no key');
  expect(pace.size).toBe(16);
  expect(await pace.measured(16, async () => 'made')).toBe('made');
  expect(pace.size).toBe(128);
});
