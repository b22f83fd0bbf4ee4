import { expect, test } from 'vitest';
import { createSignerProbe } from '../../src/signer/probe.ts';
import { serviceError } from '../../src/core/service-error.ts';

test('a signer that answers is ready; one that refuses is reported by the name of its error', async () => {
  expect(await createSignerProbe({ health: async () => undefined })()).toBe('ready');
  const health = () => Promise.reject(serviceError('keyBackendFailed'));
  expect(await createSignerProbe({ health })()).toBe('keyBackendFailed');
});

test('a signer that is silent for longer than the deadline is unavailable, and is asked once only', async () => {
  let asked = 0;
  const health = (): Promise<void> => {
    asked += 1;
    return new Promise(() => undefined);
  };
  const probe = createSignerProbe({ health }, 5);
  expect(await Promise.all([probe(), probe()])).toEqual(['signerUnavailable', 'signerUnavailable']);
  expect(await probe()).toBe('signerUnavailable');
  expect(asked).toBe(1);
});
