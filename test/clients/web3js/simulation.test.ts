import { Keypair, PublicKey, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { beforeAll, expect, test } from 'vitest';
import { connection, fundedKeypair, SOL, transfer } from './client.ts';

const recipient = Keypair.generate().publicKey;
let payer: Keypair;

beforeAll(async () => {
  payer = await fundedKeypair();
});

async function transferOf(lamports: number, recentBlockhash?: string): Promise<VersionedTransaction> {
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: recentBlockhash ?? (await connection.getLatestBlockhash()).blockhash,
    instructions: [transfer(payer, recipient, lamports)],
  });
  return new VersionedTransaction(message.compileToV0Message());
}

test('a simulation needs no signature and changes nothing', async () => {
  const { value } = await connection.simulateTransaction(await transferOf(SOL));
  expect(value).toMatchObject({ err: null, unitsConsumed: 150, accounts: null, returnData: null });
  expect(value.logs).toEqual([
    'Program 11111111111111111111111111111111 invoke [1]',
    'Program 11111111111111111111111111111111 success',
  ]);
  expect(await connection.getBalance(recipient)).toBe(0);
});

test('sigVerify makes a missing signature an error of the transaction', async () => {
  const transaction = await transferOf(SOL);
  const unsigned = await connection.simulateTransaction(transaction, { sigVerify: true });
  expect(unsigned.value.err).toBe('SignatureFailure');
  transaction.sign([payer]);
  const signed = await connection.simulateTransaction(transaction, { sigVerify: true });
  expect(signed.value.err).toBeNull();
});

test('replaceRecentBlockhash makes an expired transaction simulable', async () => {
  const stale = await transferOf(SOL, Keypair.generate().publicKey.toBase58());
  expect((await connection.simulateTransaction(stale)).value.err).toBe('BlockhashNotFound');
  const { value } = await connection.simulateTransaction(stale, { replaceRecentBlockhash: true });
  expect(value.err).toBeNull();
});

test('sigVerify and replaceRecentBlockhash exclude each other', async () => {
  const config = { sigVerify: true, replaceRecentBlockhash: true };
  await expect(connection.simulateTransaction(await transferOf(SOL), config)).rejects.toThrow(
    'sigVerify may not be used with replaceRecentBlockhash',
  );
});

test('accounts come back as they would be after the transaction', async () => {
  const accounts = {
    encoding: 'base64',
    addresses: [recipient.toBase58(), PublicKey.default.toBase58()],
  } as const;
  const { value } = await connection.simulateTransaction(await transferOf(SOL), {
    accounts: { ...accounts, addresses: [...accounts.addresses] },
  });
  expect(value.accounts?.[0]).toMatchObject({
    lamports: SOL,
    owner: PublicKey.default.toBase58(),
    data: ['', 'base64'],
  });
  expect(value.accounts?.[1]).toMatchObject({ lamports: 1, executable: true });
});

test('innerInstructions are listed when asked for', async () => {
  const { value } = await connection.simulateTransaction(await transferOf(SOL), { innerInstructions: true });
  expect(value.innerInstructions).toEqual([]);
});

test('a failing instruction is reported in err with its logs', async () => {
  const { value } = await connection.simulateTransaction(await transferOf(1000 * SOL));
  expect(value.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
  expect(value.logs?.at(-1)).toBe(
    'Program 11111111111111111111111111111111 failed: custom program error: 0x1',
  );
});
