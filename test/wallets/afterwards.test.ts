import { expect, test } from 'vitest';
import { serviceError } from '../../src/base/service-error.ts';
import { createAfterwards } from '../../src/wallets/afterwards.ts';

const OUTAGE = serviceError('storeUnavailable', {
  where: 'the store',
  reason: 'is away',
  fault: 'unreachable',
});

/** Work that fails as the list says, then succeeds; `done` resolves with the number of tries when it does. */
function newWork(...failures: readonly Error[]) {
  const done = Promise.withResolvers<number>();
  let tries = 0;
  const work = async (): Promise<void> => {
    tries += 1;
    const failure = failures[tries - 1];
    if (failure !== undefined) throw failure;
    done.resolve(tries);
  };
  return { work, done: done.promise };
}

function newAfterwards() {
  const logged = Promise.withResolvers<unknown>();
  const afterwards = createAfterwards({ error: (facts: unknown) => logged.resolve(facts) }, 1);
  return { afterwards, logged: logged.promise };
}

test('what the store does not take is told, and tried until the store takes it', async () => {
  const { work, done } = newWork(OUTAGE, OUTAGE, OUTAGE);
  await expect(newAfterwards().afterwards(work)).rejects.toBe(OUTAGE);
  expect(await done).toBe(4);
});

test('what succeeds is done once', async () => {
  const { work, done } = newWork();
  await newAfterwards().afterwards(work);
  expect(await done).toBe(1);
});

test('what fails for another reason later is logged, and not tried again', async () => {
  const closed = serviceError('reservationClosed');
  const { work } = newWork(OUTAGE, closed);
  const { afterwards, logged } = newAfterwards();
  await expect(afterwards(work)).rejects.toBe(OUTAGE);
  expect(await logged).toEqual({ err: closed });
});
