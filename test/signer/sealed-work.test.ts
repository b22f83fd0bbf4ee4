import { expect, test } from 'vitest';
import { createSealedWork } from '../../src/signer/sealed-work.ts';

test('work that is under way is waited for; what begins later is not', async () => {
  const work = createSealedWork();
  await work.settled();
  const ends = [work.begin(), work.begin()];
  const steps: string[] = [];
  const settled = work.settled().then(() => steps.push('settled'));
  const endLater = work.begin();
  for (const end of ends) {
    await Promise.resolve();
    steps.push('end');
    end();
  }
  await settled;
  expect(steps).toEqual(['end', 'end', 'settled']);
  endLater();
  await work.settled();
});

test('a key that was sealed before somebody began to wait is of another generation', async () => {
  const work = createSealedWork();
  const before = work.generation();
  expect(work.generation()).toBe(before);
  const end = work.begin();
  const settled = work.settled();
  expect(work.generation()).not.toBe(before);
  end();
  await settled;
});
