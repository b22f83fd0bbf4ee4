import {
  AddressLookupTableProgram,
  Keypair,
  type PublicKey,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { connection, fundedKeypair, land, landed, SOL, transfer } from './client.ts';

const recipient = Keypair.generate().publicKey;
let payer: Keypair;
let table: PublicKey;
let signature: string;

beforeAll(async () => {
  payer = await fundedKeypair();
  const authority = payer.publicKey;
  // The slot hashes end with the parent of the slot that is asked.
  const recentSlot = (await connection.getSlot()) - 1;
  const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({
    authority,
    payer: authority,
    recentSlot,
  });
  table = lookupTable;
  const addresses = [Keypair.generate().publicKey, recipient];
  const { slot } = await land(payer, [
    create,
    AddressLookupTableProgram.extendLookupTable({ lookupTable, authority, payer: authority, addresses }),
  ]);

  await eventually(
    'a slot after the one that extended the table',
    async () => (await connection.getSlot()) > slot || undefined,
  );
  const { value } = await connection.getAddressLookupTable(lookupTable);
  if (value === null) throw new Error('no lookup table');
  const { blockhash } = await connection.getLatestBlockhash();
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blockhash,
    instructions: [transfer(payer, recipient, SOL)],
  });
  const transaction = new VersionedTransaction(message.compileToV0Message([value]));
  transaction.sign([payer]);
  signature = await connection.sendTransaction(transaction);
  await landed(signature);
});

test('the table holds its addresses and can be used', async () => {
  const { value } = await connection.getAddressLookupTable(table);
  expect(value?.state.addresses[1]).toEqual(recipient);
  expect(value?.state.authority).toEqual(payer.publicKey);
  expect(value?.isActive()).toBe(true);
});

test('a v0 transaction pays the address that it loads', async () => {
  expect(await connection.getBalance(recipient)).toBe(SOL);
  const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(found?.version).toBe(0);
  expect(found?.transaction.message.staticAccountKeys).not.toContainEqual(recipient);
  expect(found?.transaction.message.addressTableLookups).toMatchObject([
    { accountKey: table, writableIndexes: [1] },
  ]);
  expect(found?.meta?.loadedAddresses).toEqual({ writable: [recipient], readonly: [] });
});

test('the parsed transaction marks the address as loaded', async () => {
  const found = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
  const key = found?.transaction.message.accountKeys.find(({ pubkey }) => pubkey.equals(recipient));
  expect(key).toMatchObject({ source: 'lookupTable', writable: true, signer: false });
});

test('a caller that did not say it can read version 0 is refused', async () => {
  await expect(connection.getTransaction(signature)).rejects.toThrow(
    'Transaction version (0) is not supported by the requesting client',
  );
});
