import { Connection, Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { confirm } from '../../../src/contract/confirmation.ts';
import { TARGETS, type Target } from '../targets.ts';
import { SOL } from './client.ts';

const TRIES = 10;

/** As a program does that sends one transaction: its socket is opened only to confirm it. */
async function confirmFailing(
  { rpcUrl, wsUrl }: Target,
  payer: Keypair,
  commitment: 'processed' | 'confirmed',
) {
  const connection = new Connection(rpcUrl, { commitment, wsEndpoint: wsUrl });
  const recent = await connection.getLatestBlockhash('confirmed');
  const { publicKey } = payer;
  const transfer = { fromPubkey: publicKey, toPubkey: Keypair.generate().publicKey, lamports: 100 * SOL };
  const transaction = new Transaction({ feePayer: publicKey, ...recent });
  transaction.add(SystemProgram.transfer(transfer)).sign(payer);
  const signature = await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
  return await connection.confirmTransaction({ signature, ...recent }, commitment);
}

describe.each(TARGETS)('a transaction that fails, confirmed at %s', (_, target) => {
  test.each(['processed', 'confirmed'] as const)(
    `is told as {value: {err}}, at %s, ${TRIES} times of ${TRIES}`,
    // On a machine that is busy for longer than a slot the client loses this race, as it does against any node.
    { retry: 2 },
    async (commitment) => {
      const payer = Keypair.generate();
      const airdrop = await new Connection(target.rpcUrl).requestAirdrop(payer.publicKey, SOL);
      await confirm(target, airdrop);
      const told: unknown[] = [];
      for (let index = 0; index < TRIES; index++)
        told.push((await confirmFailing(target, payer, commitment)).value);
      expect(told).toEqual(
        Array.from({ length: TRIES }, () => ({ err: { InstructionError: [0, { Custom: 1 }] } })),
      );
    },
  );
});
