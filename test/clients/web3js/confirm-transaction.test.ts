import { Connection, Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { confirm } from '../../../src/devkit/contract/confirmation.ts';
import { TARGETS, type Target } from '../targets.ts';
import { SOL } from './client.ts';

const TRIES = 10;
/** A transaction lands 200 ms after it was sent: a status that is answered later may be that of the landed transaction. */
const LATE_MS = 200;

/** Sends and confirms as a program does whose socket is opened only to confirm; tells whether its status was answered late. */
async function confirmFailing(
  { rpcUrl, wsUrl }: Target,
  payer: Keypair,
  commitment: 'processed' | 'confirmed',
) {
  let sentMs = 0;
  let answeredMs = 0;
  const timedFetch: typeof fetch = async (url, init) => {
    if (String(init?.body).includes('"sendTransaction"')) sentMs = performance.now();
    const answer = await fetch(url, init);
    if (String(init?.body).includes('"getSignatureStatuses"')) answeredMs ||= performance.now();
    return answer;
  };
  const connection = new Connection(rpcUrl, { commitment, wsEndpoint: wsUrl, fetch: timedFetch });
  const recent = await connection.getLatestBlockhash('confirmed');
  const { publicKey } = payer;
  const transfer = { fromPubkey: publicKey, toPubkey: Keypair.generate().publicKey, lamports: 100 * SOL };
  const transaction = new Transaction({ feePayer: publicKey, ...recent });
  transaction.add(SystemProgram.transfer(transfer)).sign(payer);
  const signature = await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
  const outcome: unknown = await connection
    .confirmTransaction({ signature, ...recent }, commitment)
    .catch((error: unknown) => error);
  return { outcome, isLate: answeredMs - sentMs > LATE_MS };
}

describe.each(TARGETS)('a transaction that fails, confirmed at %s', (_, target) => {
  test.each(['processed', 'confirmed'] as const)(
    `is told as {value: {err}}, at %s, ${TRIES} times of ${TRIES}`,
    async (commitment) => {
      const payer = Keypair.generate();
      const airdrop = await new Connection(target.rpcUrl).requestAirdrop(payer.publicKey, SOL);
      await confirm(target, airdrop);
      const told: unknown[] = [];
      while (told.length < TRIES) {
        const { outcome, isLate } = await confirmFailing(target, payer, commitment);
        // A client that a busy machine made late finds the status before its subscription tells it: so at any node.
        if (isLate && !(outcome as { readonly value?: unknown }).value) continue;
        told.push(outcome);
      }
      expect(told).toMatchObject(
        Array.from({ length: TRIES }, () => ({ value: { err: { InstructionError: [0, { Custom: 1 }] } } })),
      );
    },
  );
});
