import { eq, sql } from '../../src/store/drizzle.ts';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { serviceError } from '../../src/core/service-error.ts';
import { eventually } from '../../src/core/eventually.ts';
import type { Signer } from '../../src/signer/signer.ts';
import { signerTombstones } from '../../src/store/signer-tables.ts';
import { wallets } from '../../src/store/wallet-tables.ts';
import { createReconciliation } from '../../src/wallets/managed/destroyed-rows.ts';
import { type TestAccount, useWalletService } from './use-service.ts';

// Destructions that the signer has recorded and that the request does not complete by itself.

const MINUTE_MS = 60_000;
/** Called once after the signer has destroyed a key and before its answer arrives. */
let onDestroyed: (() => Promise<void>) | undefined;
/** The signer does not answer which wallets are destroyed; it never hears which to destroy. */
let [isSignerDown, isUnreached] = [false, false];
/** The signer is asked to destroy once, and its answer is not waited for. */
let isGivenUp = false;
let onLooked = (): void => undefined;

const withHook = (signer: Signer): Signer => ({
  ...signer,
  findDestroyed: async (origins) => {
    if (isSignerDown) throw serviceError('signerUnavailable');
    const found = await signer.findDestroyed(origins);
    onLooked();
    return found;
  },
  destroy: async (request) => {
    if (isUnreached) throw serviceError('signerUnavailable');
    const destroyed = signer.destroy(request);
    if (isGivenUp) {
      isGivenUp = false;
      throw serviceError('signerUnavailable');
    }
    await destroyed;
    const hook = onDestroyed;
    onDestroyed = undefined;
    await hook?.();
  },
});

const service = useWalletService({ withSigner: withHook });

beforeEach(() => {
  [onDestroyed, isSignerDown, isUnreached] = [undefined, false, false];
  isGivenUp = false;
  onLooked = () => undefined;
});

const loseAnswer = (): Promise<never> => Promise.reject(serviceError('signerUnavailable'));

async function newWallet() {
  const account = await service().newAccount();
  const made = await account.client.createWallet({ custody: 'managed' });
  if (made.custody !== 'managed') throw new Error('not managed');
  return { account, id: made.wallet_id, address: made.address };
}

async function destroy({ send, code }: TestAccount, id: string) {
  service().clock.set(service().clock.nowMs() + MINUTE_MS);
  const answer = await send('DELETE', `/v1/wallets/${id}`, undefined, { 'x-two-factor-code': code() });
  return { status: answer.status, body: await answer.json() };
}

const hasRow = async (id: string): Promise<boolean> =>
  (await service().store.db.select({ id: wallets.id }).from(wallets).where(eq(wallets.id, id))).length > 0;

const destructions = async ({ log }: TestAccount): Promise<readonly string[]> =>
  (await log()).filter((line) => line.startsWith('destroy'));

test('a wallet whose row a start deletes meanwhile is destroyed, as its client is told, and recorded once', async () => {
  const { account, id, address } = await newWallet();
  onDestroyed = () => createReconciliation(1).start(service().deps);
  expect(await destroy(account, id)).toMatchObject({ status: 200, body: { wallet_id: id, address } });
  expect(await destructions(account)).toEqual(['destroy ok', 'destroy replayed']);
  expect((await destroy(account, id)).status).toBe(404);
});

test('a destruction whose answer the signer lost is completed without another request', async () => {
  const { account, id } = await newWallet();
  onDestroyed = loseAnswer;
  expect((await destroy(account, id)).status).toBe(503);
  await eventually('the row is gone', async () => ((await hasRow(id)) ? undefined : true));
  expect((await destructions(account)).filter((line) => line === 'destroy ok')).toHaveLength(1);
  expect((await destroy(account, id)).status).toBe(404);
});

test('a destruction whose answer the store lost is recorded once, and not refused', async () => {
  const { account, id } = await newWallet();
  const { store } = service();
  const transaction = store.transaction.bind(store);
  const sameLane = vi.spyOn(store, 'ofAccount').mockReturnValue(store);
  onTestFinished(() => sameLane.mockRestore());
  onDestroyed = async () => {
    const lost = vi.spyOn(store, 'transaction').mockImplementationOnce(async (work) => {
      await transaction(work);
      lost.mockRestore();
      throw new Error('the thread has ended');
    });
  };
  expect((await destroy(account, id)).status).toBe(503);
  await eventually('the row is gone', async () => ((await hasRow(id)) ? undefined : true));
  expect((await destroy(account, id)).status).toBe(404);
  expect((await destructions(account)).filter((line) => line === 'destroy ok')).toHaveLength(1);
});

test('a destruction that the signer still carries out when its answer is given up is completed', async () => {
  const { account, id } = await newWallet();
  isGivenUp = true;
  expect((await destroy(account, id)).status).toBe(503);
  await eventually('the row is gone', async () => ((await hasRow(id)) ? undefined : true));
  expect((await destructions(account)).filter((line) => line === 'destroy ok')).toHaveLength(1);
});

test('a destruction that the token fails to carry out twice is completed', async () => {
  const { account, id } = await newWallet();
  const fail = (): Promise<never> => Promise.reject(serviceError('keyBackendFailed'));
  onDestroyed = () => {
    onDestroyed = fail;
    return fail();
  };
  expect((await destroy(account, id)).status).toBe(503);
  await eventually('the row is gone', async () => ((await hasRow(id)) ? undefined : true));
  expect((await destructions(account)).filter((line) => line === 'destroy ok')).toHaveLength(1);
});

test('a wallet that the signer did not destroy is left as it is, and can be destroyed later', async () => {
  const { account, id } = await newWallet();
  const looked = Promise.withResolvers<void>();
  [isUnreached, onLooked] = [true, looked.resolve];
  expect((await destroy(account, id)).status).toBe(503);
  isUnreached = false;
  await looked.promise;
  expect(await hasRow(id)).toBe(true);
  expect((await destroy(account, id)).status).toBe(200);
});

test('a destruction that is asked for again while its key is known to be destroyed is completed', async () => {
  const { account, id, address } = await newWallet();
  isSignerDown = true;
  onDestroyed = loseAnswer;
  expect((await destroy(account, id)).status).toBe(503);
  await service()
    .store.db.insert(signerTombstones)
    .values({
      signer: Buffer.from(id),
      seq: 1,
      fingerprint: sql`substring(sha256(convert_to('wallet' || chr(10) || ${id}, 'UTF8')) from 1 for 16)`,
    });
  expect((await account.send('GET', `/v1/wallets/${id}`)).status).toBe(404);
  expect(await hasRow(id)).toBe(true);
  expect(await destroy(account, id)).toMatchObject({ status: 200, body: { wallet_id: id, address } });
  expect(await hasRow(id)).toBe(false);
  expect((await destructions(account)).filter((line) => line === 'destroy ok')).toHaveLength(1);
});

test('a child that another gateway has destroyed, and whose row is still there, is not handed out in its tree', async () => {
  const account = await service().newAccount();
  const wanted = { custody: 'managed', accounts: { start: 0, count: 2 } };
  const made = (await (await account.send('POST', '/v1/wallets/hd', wanted)).json()) as {
    readonly master: { readonly wallet_id: string };
    readonly wallets: readonly { readonly wallet_id: string }[];
  };
  const tree = { ...wanted, master_wallet_id: made.master.wallet_id };
  expect((await account.send('POST', '/v1/wallets/hd', tree)).status).toBe(200);
  const id = made.wallets[1]?.wallet_id ?? '';
  await service()
    .store.db.insert(signerTombstones)
    .values({
      signer: Buffer.from(id),
      seq: 1,
      fingerprint: sql`substring(sha256(convert_to('wallet' || chr(10) || ${id}, 'UTF8')) from 1 for 16)`,
    });
  expect((await account.send('GET', `/v1/wallets/${id}`)).status).toBe(404);
  const answer = await account.send('POST', '/v1/wallets/hd', tree);
  expect([answer.status, await answer.json()]).toMatchObject([409, { code: 'derivation_destroyed' }]);
});
