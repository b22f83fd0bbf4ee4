import { randomUUID } from 'node:crypto';
import { eq } from '../../src/store/drizzle.ts';
import { expect, test } from 'vitest';
import { serviceError } from '../../src/core/service-error.ts';
import type { KeyOwner } from '../../src/signer/hsm/hsm.ts';
import type { Signer } from '../../src/signer/signer.ts';
import { gateways } from '../../src/store/access-tables.ts';
import { keyIntents, wallets } from '../../src/store/wallet-tables.ts';
import { destroyAbandonedKeys } from '../../src/wallets/managed/make-keys.ts';
import { useWalletService } from './use-service.ts';

/** The objects of the token: every key leaves one behind, as in a token that cannot wrap keys. */
const objects = new Set<string>();
let [failsAfterMaking, isBroken] = [false, false];
/** Called while a process that has made keys and not stored them is held up. */
let whileHeldUp = async (): Promise<void> => undefined;

const withToken = (signer: Signer): Signer => ({
  ...signer,
  capabilities: () => ({ ...signer.capabilities(), keysIn: 'token', maxManagedBatch: 500 }),
  create: async (keys: readonly KeyOwner[], options) => {
    const made = await signer.create(keys, options);
    for (const { walletId } of keys) objects.add(walletId);
    if (failsAfterMaking) throw serviceError('signerUnavailable');
    await whileHeldUp();
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
  const { store, signer, deps } = service();
  await store.db.update(keyIntents).set({ ownerId: randomUUID() });
  const [mine, createdAt] = [`w_${'1'.repeat(22)}`, new Date()];
  objects.add(mine);
  await store.db.insert(keyIntents).values({ walletId: mine, accountId, ownerId: deps.ownerId, createdAt });
  await destroyAbandonedKeys({ ...deps, signer });
  expect([...objects].sort()).toEqual([mine, ...(await kept())].sort());
});

test('a process that was held up stores no wallet whose key the start of another one destroys', async () => {
  const { send, balance } = await service().newAccount();
  const { store, signer, deps } = service();
  const other = randomUUID();
  const isOurs = eq(gateways.id, deps.ownerId);
  const own = await store.db.select().from(gateways).where(isOurs);
  /** The other process has taken the intents over, and not destroyed anything yet. */
  const slow: Signer = { ...signer, destroy: () => Promise.reject(serviceError('signerUnavailable')) };
  for (const otherSigner of [signer, slow]) {
    whileHeldUp = async () => {
      await store.db.delete(gateways).where(isOurs);
      await destroyAbandonedKeys({ ...deps, signer: otherSigner, ownerId: other });
    };
    expect((await send('POST', '/v1/wallets', { custody: 'managed' })).status).toBe(503);
    const batch = await send('POST', '/v1/wallets/batch', { count: 20, custody: 'managed' });
    expect(batch.status).toBe(503);
  }
  whileHeldUp = async () => undefined;
  const left = await store.db.select().from(keyIntents).where(eq(keyIntents.ownerId, other));
  expect([...objects].sort()).toEqual([...left.map(({ walletId }) => walletId), ...(await kept())].sort());
  expect(left).toHaveLength(21);
  await store.db.insert(gateways).values(own).onConflictDoNothing();
  await destroyAbandonedKeys({ ...deps, signer });
  expect([...objects].filter((id) => left.some(({ walletId }) => walletId === id))).toEqual([]);
  expect(await balance()).toMatchObject({ charged: 0n, reserved: 0n });
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
