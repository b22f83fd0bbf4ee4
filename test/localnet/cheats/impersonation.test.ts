import { Keypair, type PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { fundedWallet, landed, SOL } from '../transactions.ts';
import { type CheatLedger, newCheatLedger } from './new-cheat-ledger.ts';

const BASE64 = { encoding: 'base64' } as const;

function unsigned({ ledger }: CheatLedger, from: PublicKey, lamports: bigint): string {
  const { blocks } = ledger;
  const to = Keypair.generate().publicKey;
  const transaction = new Transaction().add(
    SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports }),
  );
  transaction.feePayer = from;
  transaction.recentBlockhash = blocks.blockhash(blocks.openSlot - 1n);
  return transaction.serialize({ requireAllSignatures: false }).toString('base64');
}

test('an impersonated key signs whatever names it, until that ends', async () => {
  const test = newCheatLedger();
  const { publicKey } = await fundedWallet(test);
  const send = (text: string) =>
    test.call('sendTransaction', text, { ...BASE64, preflightCommitment: 'processed' });
  const refusal = (text: string) =>
    test.refusal('sendTransaction', text, { ...BASE64, preflightCommitment: 'processed' });
  expect((await refusal(unsigned(test, publicKey, SOL))).code).toBe('preflightFailure');
  await test.cheat('localnet_impersonate', publicKey.toBase58());
  const [first, second] = [unsigned(test, publicKey, SOL), unsigned(test, publicKey, 2n * SOL)];
  const signatures = [await send(first), await send(second)];
  expect(new Set(signatures).size).toBe(2);
  for (const signature of signatures) expect(await landed(test, signature)).toMatchObject({ err: null });
  expect((await refusal(first)).message).toMatch(/already been processed/);
  const simulated = await test.call('simulateTransaction', unsigned(test, publicKey, SOL), {
    ...BASE64,
    commitment: 'processed',
    sigVerify: true,
  });
  expect(simulated.value.err).toBeNull();
  expect(await test.cheat('localnet_stopImpersonating', publicKey.toBase58())).toBe(true);
  expect(await test.cheat('localnet_stopImpersonating', publicKey.toBase58())).toBe(false);
  expect((await refusal(unsigned(test, publicKey, SOL))).code).toBe('preflightFailure');
});
