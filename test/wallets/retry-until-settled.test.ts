import { expect, test } from 'vitest';
import { serviceError } from '../../src/core/service-error.ts';
import { createRetryUntilSettled } from '../../src/wallets/retry-until-settled.ts';

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

function newRetryUntilSettled() {
  const logged = Promise.withResolvers<unknown>();
  const retryUntilSettled = createRetryUntilSettled({ error: (facts: unknown) => logged.resolve(facts) }, 1);
  return { retryUntilSettled, logged: logged.promise };
}

test('what the store does not take is told, and tried until the store takes it', async () => {
  const { work, done } = newWork(OUTAGE, OUTAGE, OUTAGE);
  await expect(newRetryUntilSettled().retryUntilSettled(work)).rejects.toBe(OUTAGE);
  expect(await done).toBe(4);
});

test('what succeeds is done once', async () => {
  const { work, done } = newWork();
  await newRetryUntilSettled().retryUntilSettled(work);
  expect(await done).toBe(1);
});

test('what fails for another reason later is logged, and not tried again', async () => {
  const closed = serviceError('reservationClosed');
  const { work } = newWork(OUTAGE, closed);
  const { retryUntilSettled, logged } = newRetryUntilSettled();
  await expect(retryUntilSettled(work)).rejects.toBe(OUTAGE);
  expect(await logged).toEqual({ err: closed });
});
