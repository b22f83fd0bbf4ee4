import { expect, test } from 'vitest';
import { createSealedWork } from '../../../src/signer/sealed-work.ts';
import { withSealedKeys } from '../../../src/wallets/managed/with-sealed-keys.ts';

function setUp() {
  const sealedWork = createSealedWork();
  /** Resolves to true if nobody holds a sealed key. */
  const isSettled = async (): Promise<boolean> => {
    const turn = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
    return Promise.race([sealedWork.settled().then(() => true), turn]);
  };
  return { deps: { sealedWork }, isSettled };
}

test('work holds sealed keys while it lasts, and not when it is done or has failed', async () => {
  const { deps, isSettled } = setUp();
  const worked = Promise.withResolvers<number>();
  const done = withSealedKeys(deps, () => worked.promise);
  expect(await isSettled()).toBe(false);
  worked.resolve(1);
  expect(await done).toBe(1);
  expect(await isSettled()).toBe(true);
  const failed = withSealedKeys(deps, () => Promise.reject(new Error('failed')));
  await expect(failed).rejects.toThrow('failed');
  expect(await isSettled()).toBe(true);
});
