import { expect, test } from 'vitest';
import type { StreamAnswer } from '../../../generated/wallets/handlers.ts';
import { createSealedWork } from '../../../src/signer/sealed-work.ts';
import { withSealedKeys } from '../../../src/wallets/managed/with-sealed-keys.ts';

const chunk = { bytes: new Uint8Array(1), count: 1 };

async function* twoChunks(): StreamAnswer['chunks'] {
  yield chunk;
  yield chunk;
}

function setUp() {
  const sealedWork = createSealedWork();
  /** Whether nobody holds a sealed key. */
  const isSettled = async (): Promise<boolean> => {
    const turn = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
    return Promise.race([sealedWork.settled().then(() => true), turn]);
  };
  return { places: { sealedWork }, isSettled };
}

test('an answer holds sealed keys while it is worked on, and not when it is there or was refused', async () => {
  const { places, isSettled } = setUp();
  const worked = Promise.withResolvers<{ readonly kind: 'json'; readonly body: number }>();
  const answer = withSealedKeys(places, () => worked.promise);
  expect(await isSettled()).toBe(false);
  worked.resolve({ kind: 'json', body: 1 });
  expect(await answer).toEqual({ kind: 'json', body: 1 });
  expect(await isSettled()).toBe(true);
  const refused = withSealedKeys(places, () => Promise.reject(new Error('refused')));
  await expect(refused).rejects.toThrow('refused');
  expect(await isSettled()).toBe(true);
});

test.each([
  ['when it is at its end', 3],
  ['when it is left', 1],
])('a stream holds them until it has been sent, %s', async (_when, reads) => {
  const { places, isSettled } = setUp();
  const stream = { kind: 'stream', form: 'jsonl', count: 2, chunks: twoChunks() } as const;
  const { chunks } = await withSealedKeys(places, async (): Promise<StreamAnswer> => stream);
  expect(await isSettled()).toBe(false);
  for (let read = 0; read < reads; read += 1) await chunks.next();
  await chunks.return();
  expect(await isSettled()).toBe(true);
});
