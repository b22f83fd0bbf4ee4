import {
  type Address,
  compressTransactionMessageUsingAddressLookupTables,
  fetchAddressesForLookupTables,
  isSolanaError,
  type KeyPairSigner,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import {
  fetchAddressLookupTable,
  findAddressLookupTablePda,
  getCreateLookupTableInstructionAsync,
  getExtendLookupTableInstruction,
} from '@solana-program/address-lookup-table';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import {
  balanceOf,
  fundedSigner,
  land,
  landed,
  messageOf,
  newAddress,
  rpc,
  SOL,
  send,
  transfer,
} from './client.ts';

let payer: KeyPairSigner;
let recipient: Address;
let table: Address;
let signature: Awaited<ReturnType<typeof send>>;

beforeAll(async () => {
  payer = await fundedSigner();
  recipient = await newAddress();
  // The slot hashes end with the parent of the slot that is asked.
  const recentSlot = (await rpc.getSlot().send()) - 1n;
  const authority = payer.address;
  [table] = await findAddressLookupTablePda({ authority, recentSlot });
  const { slot } = await land(payer, [
    await getCreateLookupTableInstructionAsync({ authority, payer, recentSlot }),
    getExtendLookupTableInstruction({
      address: table,
      authority: payer,
      payer,
      addresses: [await newAddress(), recipient],
    }),
  ]);
  await eventually(
    'a slot after the one that extended the table',
    async () => (await rpc.getSlot().send()) > slot || undefined,
  );
  const tables = await fetchAddressesForLookupTables([table], rpc);
  const message = await messageOf(payer, [transfer(payer, recipient, SOL)]);
  signature = await send(
    await signTransactionMessageWithSigners(
      compressTransactionMessageUsingAddressLookupTables(message, tables),
    ),
  );
  await landed(signature);
});

test('the table holds its addresses and its authority', async () => {
  const { data } = await fetchAddressLookupTable(rpc, table);
  expect(data.addresses[1]).toBe(recipient);
  expect(data.authority).toEqual({ __option: 'Some', value: payer.address });
  expect(data.deactivationSlot).toBe(18_446_744_073_709_551_615n);
});

test('a v0 transaction pays the address that it loads', async () => {
  expect(await balanceOf(recipient)).toBe(SOL);
  const found = await rpc
    .getTransaction(signature, { encoding: 'json', maxSupportedTransactionVersion: 0 })
    .send();
  expect(found?.version).toBe(0);
  expect(found?.transaction.message.accountKeys).not.toContain(recipient);
  expect(found?.transaction.message).toMatchObject({
    addressTableLookups: [{ accountKey: table, writableIndexes: [1], readonlyIndexes: [] }],
  });
  expect(found?.meta?.loadedAddresses).toEqual({ writable: [recipient], readonly: [] });
  expect(found?.meta?.postBalances).toHaveLength(3);
  expect(found?.meta?.postBalances[2]).toBe(SOL);
});

test('the loaded address has the transaction in its history', async () => {
  expect((await rpc.getSignaturesForAddress(recipient).send()).map((entry) => entry.signature)).toEqual([
    signature,
  ]);
});

test('a caller that did not say it can read version 0 is refused', async () => {
  const error = await rpc
    .getTransaction(signature, { encoding: 'json' })
    .send()
    .catch((thrown: unknown) => thrown);
  expect(isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION)).toBe(
    true,
  );
  expect(String(error)).toContain('Transaction version (0) is not supported by the requesting client');
});
