import { Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { base58 } from '@scure/base';
import { expect, test } from 'vitest';
import { confirm } from '../../../src/devkit/contract/confirmation.ts';
import { DEFAULT_PATH, memberOf, seedOf, walletService } from '../wallets.ts';
import { connection, FEE, landed, rpcUrl, SOL } from './client.ts';

type Sign = (transaction: Transaction) => Promise<void>;

/** Holds that an account is one that nobody has used, funds it, and lets it pay for a transfer until that is final. */
async function fundAndTransfer(from: PublicKey, sign: Sign): Promise<void> {
  expect([await connection.getBalance(from), await connection.getAccountInfo(from)]).toEqual([0, null]);
  await landed(await connection.requestAirdrop(from, 2 * SOL));
  const account = await connection.getAccountInfo(from);
  expect(account?.owner.equals(SystemProgram.programId)).toBe(true);
  const { publicKey: to } = Keypair.generate();
  const transaction = new Transaction({ feePayer: from, ...(await connection.getLatestBlockhash()) });
  transaction.add(SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports: SOL }));
  await sign(transaction);
  const signature = await connection.sendRawTransaction(transaction.serialize());
  await confirm({ rpcUrl }, signature, 'finalized');
  expect([await connection.getBalance(to), await connection.getBalance(from)]).toEqual([SOL, SOL - FEE]);
}

test.concurrent('a managed wallet is an ordinary account, and what it signs is executed and final', async () => {
  const wallet = await walletService.createWallet({ custody: 'managed' });
  const from = new PublicKey(wallet.address);
  await fundAndTransfer(from, async (transaction) => {
    const message = transaction.serializeMessage().toString('base64');
    const { signature } = await walletService.signWithWallet(memberOf(wallet, 'wallet_id'), { message });
    transaction.addSignature(from, Buffer.from(base58.decode(signature)));
  });
});

test.concurrent('a client wallet is imported from its secret key and used', async () => {
  const wallet = await walletService.createWallet({});
  const keypair = Keypair.fromSecretKey(base58.decode(memberOf(wallet, 'secret_key')));
  expect(keypair.publicKey.toBase58()).toBe(wallet.address);
  await fundAndTransfer(keypair.publicKey, async (transaction) => transaction.sign(keypair));
});

test.concurrent('a child of a mnemonic is imported from the words and its path, and used', async () => {
  const { master, wallets } = await walletService.createHdWallets({ accounts: { start: 3, count: 1 } });
  const [child] = wallets;
  const keypair = Keypair.fromSeed(seedOf(memberOf(master, 'mnemonic'), "m/44'/501'/3'/0'"));
  expect([child?.derivation_path, child?.address]).toEqual([
    "m/44'/501'/3'/0'",
    keypair.publicKey.toBase58(),
  ]);
  await fundAndTransfer(keypair.publicKey, async (transaction) => transaction.sign(keypair));
});

test.concurrent('a client wallet is imported from its mnemonic at the path that wallets use', async () => {
  const wallet = await walletService.createWallet({ mnemonic_words: 24 });
  expect(Keypair.fromSeed(seedOf(memberOf(wallet, 'mnemonic'), DEFAULT_PATH)).publicKey.toBase58()).toBe(
    wallet.address,
  );
});
