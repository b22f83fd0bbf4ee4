import { count, eq } from '../../src/store/drizzle.ts';
import { expect, test } from 'vitest';
import type { KeyOwner } from '../../src/signer/hsm/hsm.ts';
import type { Signer } from '../../src/signer/signer.ts';
import { wallets } from '../../src/store/wallet-tables.ts';
import { useWalletService } from './use-service.ts';

const COUNT = 10_000;
const CREDIT = { credit: 100_000_000n };

/** A token that makes this number of keys, and then none until it is released. */
let [left, goOn] = [Infinity, Promise.resolve()];

const withToken = (signer: Signer): Signer => ({
  ...signer,
  create: async (keys: readonly KeyOwner[], options) => {
    left -= keys.length;
    if (left < 0) await goOn;
    return signer.create(keys, options);
  },
});

const service = useWalletService({ withSigner: withToken });

/** Holds the token after this number of keys, until the returned function is called. */
function holdAfter(keys: number): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  [left, goOn] = [keys, promise];
  return () => {
    left = Infinity;
    resolve();
  };
}

const keptOf = async (accountId: string): Promise<number> => {
  const isOurs = eq(wallets.accountId, accountId);
  return (await service().store.db.select({ kept: count() }).from(wallets).where(isOurs))[0]?.kept ?? 0;
};

test('a batch of 10,000 comes as the token makes keys: announced whole, each line kept before it is sent', async () => {
  const { client, id, balance } = await service().newAccount(CREDIT);
  const release = holdAfter(400);
  const batch = await client.createWalletBatch({ count: COUNT, custody: 'managed' });
  expect([batch.count, batch.received]).toEqual([COUNT, 0]);
  const ids = new Set<string>();
  for await (const wallet of batch) {
    ids.add(wallet.custody === 'managed' ? wallet.wallet_id : '');
    expect(batch.received).toBe(ids.size);
    // Wallets that have come when the token makes no more are kept and charged.
    if (ids.size !== 100) continue;
    expect(await keptOf(id)).toBeGreaterThanOrEqual(100);
    expect(await keptOf(id)).toBeLessThanOrEqual(400);
    expect((await balance()).charged).toBeGreaterThanOrEqual(100_000n);
    release();
  }
  expect([ids.size, await keptOf(id), await balance()]).toEqual([
    COUNT,
    COUNT,
    expect.objectContaining({ charged: 10_000_000n, reserved: 0n }),
  ]);
});

test('a client that leaves a slow batch is charged for what was kept, and no key is made for nobody', async () => {
  const { client, id, balance } = await service().newAccount(CREDIT);
  const release = holdAfter(400);
  for await (const _ of await client.createWalletBatch({ count: COUNT, custody: 'managed' })) break;
  release();
  await expect.poll(async () => (await balance()).reserved).toBe(0n);
  const kept = await keptOf(id);
  expect(kept).toBeLessThan(1_000);
  expect((await balance()).charged).toBe(BigInt(kept) * 1_000n);
});
