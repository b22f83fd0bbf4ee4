import {
  AddressLookupTableAccount,
  AddressLookupTableProgram,
  Keypair,
  type PublicKey,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { expect, test } from 'vitest';
import { newLedger, type TestLedger } from './new-ledger.ts';
import { fundedWallet, landed, SOL, sendNow, signed, transfer } from './transactions.ts';

async function createTable(test: TestLedger, wallet: Keypair): Promise<PublicKey> {
  test.tick();
  const recentSlot = test.ledger.blocks.openSlot - 1n;
  const parties = { authority: wallet.publicKey, payer: wallet.publicKey };
  const [create, table] = AddressLookupTableProgram.createLookupTable({ ...parties, recentSlot });
  expect(await landed(test, await sendNow(test, signed(test, [wallet], create)))).toMatchObject({
    err: null,
  });
  return table;
}

function extend(wallet: Keypair, table: PublicKey, addresses: readonly PublicKey[]) {
  const parties = { authority: wallet.publicKey, payer: wallet.publicKey, lookupTable: table };
  return AddressLookupTableProgram.extendLookupTable({ ...parties, addresses: [...addresses] });
}

/** A v0 transfer whose recipient comes from the table. */
function lookupTransfer(test: TestLedger, wallet: Keypair, table: PublicKey, recipient: PublicKey): string {
  const { blocks } = test.ledger;
  const state = {
    deactivationSlot: 2n ** 64n - 1n,
    lastExtendedSlot: 0,
    lastExtendedSlotStartIndex: 0,
    addresses: [recipient],
  };
  const message = new TransactionMessage({
    payerKey: wallet.publicKey,
    recentBlockhash: blocks.blockhash(blocks.openSlot - 1n),
    instructions: [transfer(wallet, recipient, SOL)],
  }).compileToV0Message([new AddressLookupTableAccount({ key: table, state })]);
  const transaction = new VersionedTransaction(message);
  transaction.sign([wallet]);
  return Buffer.from(transaction.serialize()).toString('base64');
}

test('a table is usable from the slot after the one that extended it', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const recipient = Keypair.generate().publicKey;
  const table = await createTable(test, wallet);
  await sendNow(test, signed(test, [wallet], extend(wallet, table, [recipient])));
  const early = await test.refusal('sendTransaction', lookupTransfer(test, wallet, table, recipient), {
    encoding: 'base64',
    skipPreflight: true,
  });
  expect(early.message).toBe('invalid transaction: Transaction address table lookup uses an invalid index');
  test.tick();
  const signature = await sendNow(test, lookupTransfer(test, wallet, table, recipient));
  expect(await landed(test, signature)).toMatchObject({
    err: null,
    loadedAddresses: { writable: [recipient.toBase58()], readonly: [] },
    preBalances: [expect.any(BigInt), 1n, 0n],
    postBalances: [expect.any(BigInt), 1n, SOL],
  });
  expect((await test.call('getBalance', recipient.toBase58(), { commitment: 'processed' })).value).toBe(SOL);
});

test('a transaction is found under the addresses that it loaded, and shown to clients that know v0', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const recipient = Keypair.generate().publicKey;
  const table = await createTable(test, wallet);
  await sendNow(test, signed(test, [wallet], extend(wallet, table, [recipient])));
  test.tick();
  const signature = await sendNow(test, lookupTransfer(test, wallet, table, recipient));
  test.tick();
  const found = await test.call('getSignaturesForAddress', recipient.toBase58(), { commitment: 'confirmed' });
  expect(found).toMatchObject([{ signature, err: null }]);
  const hidden = await test.refusal('getTransaction', signature, { commitment: 'confirmed' });
  expect(hidden.message).toContain('Transaction version (0) is not supported by the requesting client');
  const shown = await test.call('getTransaction', signature, {
    commitment: 'confirmed',
    maxSupportedTransactionVersion: 0,
  });
  expect(shown).toMatchObject({
    version: 0,
    meta: { loadedAddresses: { writable: [recipient.toBase58()] } },
  });
});

test('a missing table and an account that is no table are refused', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const recipient = Keypair.generate().publicKey;
  const refused = async (table: PublicKey) =>
    (
      await test.refusal('simulateTransaction', lookupTransfer(test, wallet, table, recipient), {
        encoding: 'base64',
        commitment: 'processed',
      })
    ).message;
  expect(await refused(Keypair.generate().publicKey)).toBe(
    "invalid transaction: Transaction loads an address table account that doesn't exist",
  );
  const other = await fundedWallet(test);
  expect(await refused(other.publicKey)).toBe(
    'invalid transaction: Transaction loads an address table account with an invalid owner',
  );
});
