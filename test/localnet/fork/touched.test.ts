import {
  createInitializeMint2Instruction,
  createMintToInstruction,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import {
  AddressLookupTableAccount,
  AddressLookupTableProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useNewDirectory } from '../../support/new-directory.ts';
import { fundedWallet, landed, sendNow, signed, SOL, transfer } from '../transactions.ts';
import { forked, sourceNode } from './source-node.ts';

const directory = useNewDirectory();
const OLD = 32;

test('a lookup table of the source is used, with the accounts that it names', async () => {
  const source = await sourceNode();
  const [payer, wallet] = [await fundedWallet(source), await fundedWallet(source)];
  const recipient = Keypair.generate().publicKey;
  source.tick();
  const parties = { authority: payer.publicKey, payer: payer.publicKey };
  const [create, table] = AddressLookupTableProgram.createLookupTable({
    ...parties,
    recentSlot: source.ledger.blocks.openSlot - 1n,
  });
  const extend = AddressLookupTableProgram.extendLookupTable({
    ...parties,
    lookupTable: table,
    addresses: [wallet.publicKey, recipient],
  });
  await sendNow(source, signed(source, [payer], create, extend));
  source.tick();
  const fork = await forked({ url: source.url });
  const { blocks } = fork.ledger;
  const state = {
    deactivationSlot: 2n ** 64n - 1n,
    lastExtendedSlot: 0,
    lastExtendedSlotStartIndex: 0,
    addresses: [wallet.publicKey, recipient],
  };
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blocks.blockhash(blocks.openSlot - 1n),
    instructions: [transfer(payer, recipient, SOL)],
  }).compileToV0Message([new AddressLookupTableAccount({ key: table, state })]);
  const transaction = new VersionedTransaction(message);
  transaction.sign([payer]);
  const text = Buffer.from(transaction.serialize()).toString('base64');
  const signature = await fork.call('sendTransaction', text, {
    encoding: 'base64',
    preflightCommitment: 'confirmed',
  });
  expect(await landed(fork, signature)).toMatchObject({
    err: null,
    loadedAddresses: { writable: [recipient.toBase58()] },
  });
});

test('token methods have mint, holders and holdings of the source, and offline the same', async () => {
  const source = await sourceNode();
  const [payer, mint, owner] = [await fundedWallet(source), Keypair.generate(), Keypair.generate().publicKey];
  const create = SystemProgram.createAccount({
    fromPubkey: payer.publicKey,
    newAccountPubkey: mint.publicKey,
    space: 82,
    lamports: 2_000_000,
    programId: TOKEN_PROGRAM_ID,
  });
  const initialize = createInitializeMint2Instruction(mint.publicKey, 2, payer.publicKey, null);
  await sendNow(source, signed(source, [payer, mint], create, initialize));
  const [mintAddress, holder] = [mint.publicKey.toBase58(), owner.toBase58()];
  const account = await source.cheat('localnet_setTokenAccount', holder, mintAddress, { amount: 250 });
  source.tick(OLD);
  const cassette = join(directory(), 'a.cassette');
  const fork = await forked({ url: source.url, cassette });
  const read = async ({ call }: Pick<typeof fork, 'call'>) => [
    (await call('getTokenAccountBalance', account)).value,
    (await call('getTokenSupply', mintAddress)).value,
    (await call('getTokenAccountsByOwner', holder, { mint: mintAddress }, { encoding: 'jsonParsed' })).value,
    (await call('getTokenLargestAccounts', mintAddress)).value,
    await call('getProgramAccounts', TOKEN_PROGRAM_ID.toBase58(), {
      encoding: 'jsonParsed',
      filters: [{ memcmp: { offset: 0, bytes: mintAddress } }],
    }),
  ];
  const atSource = await read(source);
  expect(atSource[0]).toMatchObject({ amount: '250', uiAmountString: '2.5' });
  expect(await read(fork)).toEqual(atSource);
  const more = createMintToInstruction(mint.publicKey, new PublicKey(account), payer.publicKey, 50n);
  expect(await landed(fork, await sendNow(fork, signed(fork, [payer], more)))).toMatchObject({ err: null });
  fork.tick(OLD);
  expect((await read(fork))[3]).toMatchObject([{ address: account, amount: '300' }]);
  await fork.fork.close();
  source.calls.length = 0;
  const offline = await forked({ cassette });
  expect(await read(offline)).toEqual(atSource);
  expect(source.calls).toEqual([]);
  expect((await offline.refusal('getProgramAccounts', holder)).message).toBe(
    `Fork: getProgramAccounts of ${holder} is not available: it is not in the cassette, and without --fork there is no node to fetch it from`,
  );
});
