import {
  createDefaultRpcTransport,
  createRpc,
  createSolanaRpcApi,
  isSolanaError,
  lamports,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED,
} from '@solana/kit';
import { expect, inject, test } from 'vitest';
import { fundedSigner, landed, rpc, SOL } from './client.ts';

/** kit without its own range check of integers, as its test suite uses it. */
const plain = createRpc({
  api: createSolanaRpcApi(),
  transport: createDefaultRpcTransport({ url: inject('rpcUrl') }),
});
const I64_MAX = 9_223_372_036_854_775_807n;

test('the rent epoch of an account is 2^64 - 1, exactly', async () => {
  const { address } = await fundedSigner();
  const { value } = await rpc.getAccountInfo(address, { encoding: 'base64' }).send();
  expect(value).toMatchObject({ rentEpoch: 18_446_744_073_709_551_615n });
  const several = await rpc.getMultipleAccounts([address], { encoding: 'base64' }).send();
  expect(several.value[0]).toMatchObject({ rentEpoch: 18_446_744_073_709_551_615n });
});

test('a balance above 2^53 lamports keeps its last digit', async () => {
  const { address } = await fundedSigner(9_007_199_254_740_991n);
  await landed(await rpc.requestAirdrop(address, lamports(2n)).send());
  expect((await rpc.getBalance(address).send()).value).toBe(9_007_199_254_740_993n);
  expect((await rpc.getSupply().send()).value.total).toBeGreaterThan(9_007_199_254_740_993n);
});

test('a minContextSlot of 2^63 - 1 reaches the ledger, which tells its own slot', async () => {
  const slot = await rpc.getSlot({ commitment: 'processed' }).send();
  const error = await plain
    .getBalance((await fundedSigner(SOL)).address, { minContextSlot: I64_MAX })
    .send()
    .catch((thrown: unknown) => thrown);
  if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED)) throw error;
  expect(error.context.contextSlot).toBeGreaterThan(slot - 64n);
  expect(error.context.contextSlot).toBeLessThan(slot + 1000n);
});

test('a slot of 2^63 - 1 is named with all its digits in the error', async () => {
  const error = await plain
    .getBlockTime(I64_MAX)
    .send()
    .catch((thrown: unknown) => thrown);
  if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE)) throw error;
  expect(error.context.__serverMessage).toBe('Block not available for slot 9223372036854775807');
});
