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
