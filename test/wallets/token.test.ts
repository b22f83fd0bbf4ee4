import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { serviceError } from '../../src/service-error.ts';
import type { KeyOwner } from '../../src/signer/hsm/hsm.ts';
import type { Signer } from '../../src/signer/signer.ts';
import { keyIntents, wallets } from '../../src/store/wallet-tables.ts';
import { destroyAbandonedKeys } from '../../src/wallets/managed/make-keys.ts';
import { useWalletService } from './use-service.ts';

/** What the token holds: every key leaves an object behind, as in one that cannot wrap keys. */
const objects = new Set<string>();
let [failsAfterMaking, isBroken] = [false, false];

const withToken = (signer: Signer): Signer => ({
  ...signer,
  capabilities: () => ({ ...signer.capabilities(), keysIn: 'token', maxManagedBatch: 500 }),
  create: async (keys: readonly KeyOwner[], options) => {
    const made = await signer.create(keys, options);
    for (const { walletId } of keys) objects.add(walletId);
    if (failsAfterMaking) throw serviceError('signerUnavailable');
    return made;
  },
  destroy: async (request) => {
    if (isBroken) throw serviceError('keyBackendFailed');
    await signer.destroy(request);
    objects.delete(request.walletId);
  },
});

const service = useWalletService({ withSigner: withToken });

async function kept(): Promise<readonly string[]> {
  return (await service().store.db.select({ id: wallets.id }).from(wallets)).map(({ id }) => id).sort();
}

test('what a wallet was stored for stays in the token, and no intent is left', async () => {
  const { send } = await service().newAccount();
  await (await send('POST', '/v1/wallets', { custody: 'managed' })).text();
  await (await send('POST', '/v1/wallets/batch', { count: 100, custody: 'managed' })).text();
  expect([...objects].sort()).toEqual(await kept());
  expect(await service().store.db.select().from(keyIntents)).toEqual([]);
});

test('keys that were made and not stored are destroyed at once', async () => {
  const { send, balance } = await service().newAccount();
  failsAfterMaking = true;
  expect((await send('POST', '/v1/wallets', { custody: 'managed' })).status).toBe(503);
  failsAfterMaking = false;
  expect([...objects].sort()).toEqual(await kept());
  expect(await service().store.db.select().from(keyIntents)).toEqual([]);
  expect(await balance()).toMatchObject({ charged: 0n, reserved: 0n });
});

test('what cannot be destroyed now, or was left by a process that is gone, is destroyed at the next start', async () => {
  const { send, id: accountId } = await service().newAccount();
  [failsAfterMaking, isBroken] = [true, true];
  expect((await send('POST', '/v1/wallets', { custody: 'managed' })).status).toBe(503);
  [failsAfterMaking, isBroken] = [false, false];
  expect(objects.size).toBe((await kept()).length + 1);
  const { store, signer, places } = service();
  await store.db.update(keyIntents).set({ ownerId: randomUUID() });
  const [mine, createdAt] = [`w_${'1'.repeat(22)}`, new Date()];
  objects.add(mine);
  await store.db.insert(keyIntents).values({ walletId: mine, accountId, ownerId: places.ownerId, createdAt });
  await destroyAbandonedKeys({ ...places, signer });
  expect([...objects].sort()).toEqual([mine, ...(await kept())].sort());
});

test('a batch above what the backend makes in time is refused with the limit, before anything is charged', async () => {
  const { send, balance } = await service().newAccount();
  const refusal = await send('POST', '/v1/wallets/batch', { count: 501, custody: 'managed' });
  expect([refusal.status, await refusal.json()]).toMatchObject([
    422,
    { code: 'managed_batch_too_large', limit: 500, value: 501 },
  ]);
  expect(await balance()).toMatchObject({ charged: 0n, reserved: 0n });
  expect((await send('POST', '/v1/wallets/batch', { count: 500, custody: 'managed' })).status).toBe(200);
});
