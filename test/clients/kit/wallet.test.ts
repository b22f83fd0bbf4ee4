import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  assertIsTransactionWithBlockhashLifetime,
  createKeyPairSignerFromBytes,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getBase58Encoder,
  getBase64Decoder,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  type SignatureBytes,
  signTransactionMessageWithSigners,
  type TransactionPartialSigner,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { expect, test } from 'vitest';
import { gateway } from '../targets.ts';
import { DEFAULT_PATH, memberOf, seedOf, walletService } from '../wallets.ts';
import { balanceOf, FEE, landed, newAddress, rpc, send, SOL } from './client.ts';
import { land, memoOf, openKit, transfer } from './version-1.ts';

const SYSTEM_PROGRAM = '11111111111111111111111111111111';

/** A managed wallet as a signer of kit. */
function managedSigner(walletId: string, at: Address): TransactionPartialSigner {
  return {
    address: at,
    signTransactions: async (transactions) =>
      await Promise.all(
        transactions.map(async ({ messageBytes }) => {
          const message = getBase64Decoder().decode(messageBytes);
          const { signature } = await walletService.signWithWallet(walletId, { message });
          return { [at]: getBase58Encoder().encode(signature) as SignatureBytes };
        }),
      ),
  };
}

/** Sends a transfer that the wallet pays for and signs, and waits until it is final. */
async function transferFrom(wallet: TransactionPartialSigner, amount: bigint): Promise<Address> {
  const destination = await newAddress();
  const { value: blockhash } = await rpc.getLatestBlockhash().send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(wallet, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(blockhash, paid),
    (dated) =>
      appendTransactionMessageInstructions(
        [getTransferSolInstruction({ source: wallet, destination, amount })],
        dated,
      ),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  assertIsTransactionWithBlockhashLifetime(transaction);
  expect((await landed(await send(transaction), 'finalized')).err).toBeNull();
  return destination;
}

/** Holds that an address is that of an account nobody has used, funds it, and holds that it is an ordinary one then. */
async function fund(at: Address): Promise<void> {
  expect(await balanceOf(at)).toBe(0n);
  expect((await rpc.getAccountInfo(at, { encoding: 'base64' }).send()).value).toBeNull();
  await landed(await rpc.requestAirdrop(at, lamports(2n * SOL)).send());
  const { value } = await rpc.getAccountInfo(at, { encoding: 'base64' }).send();
  expect(value).toMatchObject({ owner: SYSTEM_PROGRAM, lamports: 2n * SOL, executable: false });
}

test.concurrent('a managed wallet is an ordinary account, and what it signs is executed and final', async () => {
  const wallet = await walletService.createWallet({ custody: 'managed' });
  const at = address(wallet.address);
  await fund(at);
  const recipient = await transferFrom(managedSigner(memberOf(wallet, 'wallet_id'), at), SOL);
  expect([await balanceOf(recipient), await balanceOf(at)]).toEqual([SOL, SOL - FEE]);
});

test.concurrent('a managed wallet signs a message of version 1 as any, one larger than a packet too', async () => {
  const wallet = await walletService.createWallet({ custody: 'managed' });
  const at = address(wallet.address);
  await fund(at);
  const signer = managedSigner(memberOf(wallet, 'wallet_id'), at);
  const recipient = await newAddress();
  const instructions = [transfer(signer, recipient, SOL), memoOf(3_500)];
  const sent = await land(openKit(gateway), signer, instructions, { priorityFeeLamports: 77n });
  expect(sent.transaction.messageBytes.length).toBeGreaterThan(3_500);
  expect([await balanceOf(recipient), await balanceOf(at)]).toEqual([SOL, SOL - FEE - 77n]);
});

test.concurrent('a client wallet is imported from its secret key and used', async () => {
  const wallet = await walletService.createWallet({});
  const signer = await createKeyPairSignerFromBytes(
    getBase58Encoder().encode(memberOf(wallet, 'secret_key')),
  );
  expect(signer.address).toBe(wallet.address);
  await fund(signer.address);
  const recipient = await transferFrom(signer, SOL);
  expect([await balanceOf(recipient), await balanceOf(signer.address)]).toEqual([SOL, SOL - FEE]);
});

test.concurrent('a client wallet is imported from its mnemonic, at the path that wallets use, and used', async () => {
  const wallet = await walletService.createWallet({ mnemonic_words: 12 });
  const seed = seedOf(memberOf(wallet, 'mnemonic'), DEFAULT_PATH);
  const signer = await createKeyPairSignerFromPrivateKeyBytes(seed);
  expect([signer.address, wallet.derivation_path]).toEqual([wallet.address, DEFAULT_PATH]);
  await fund(signer.address);
  const recipient = await transferFrom(signer, SOL);
  expect([await balanceOf(recipient), await balanceOf(signer.address)]).toEqual([SOL, SOL - FEE]);
});
