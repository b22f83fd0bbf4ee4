import { expect, test } from 'vitest';
import { type LockWait, waitForLock } from '../../../src/operate/admin/wait-for-lock.ts';
import { serviceError } from '../../../src/core/service-error.ts';

const locked = (): Error => serviceError('dataDirectoryLocked', { path: '/d', holder: 'process 7' });

/** Waits for an attempt that is locked out a number of times; what came of it, what was told, and the attempts. */
async function wait(times: number, options: Partial<LockWait> = {}) {
  const told: string[] = [];
  let attempts = 0;
  const attempt = async (): Promise<string> => {
    attempts += 1;
    if (attempts <= times) throw locked();
    return 'done';
  };
  const outcome = await waitForLock(attempt, {
    onWait: (reason) => told.push(reason),
    pauseMs: 1,
    ...options,
  }).catch((error: Error) => error.message);
  return { outcome, told, attempts };
}

test('what is not locked out is done at once, and nothing is told', async () => {
  expect(await wait(0)).toEqual({ outcome: 'done', told: [], attempts: 1 });
});

test('what is locked out is done when the lock is free, and told once whom it waits for', async () => {
  const told = ['The data directory /d is in use by process 7'];
  expect(await wait(3)).toEqual({ outcome: 'done', told, attempts: 4 });
});

test('after the deadline it says who kept it, and what to do', async () => {
  const { outcome } = await wait(Number.POSITIVE_INFINITY, { deadlineMs: 20 });
  expect(outcome).toBe(
    'The data directory /d is in use by process 7, which neither became ready nor ended within 0 s; check its log, or stop it',
  );
});

test('where waiting is of no use it fails at once, with the reason', async () => {
  const outcome = 'The data directory /d is in use by process 7';
  expect(await wait(3, { isHopeless: async () => true })).toEqual({ outcome, told: [], attempts: 1 });
});

test('another failure is not waited for', async () => {
  const failing = waitForLock(() => Promise.reject(serviceError('internalError')), {
    onWait: () => undefined,
  });
  await expect(failing).rejects.toMatchObject({ code: 'internalError' });
});
