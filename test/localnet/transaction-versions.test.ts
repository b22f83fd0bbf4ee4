import { base58 } from '@scure/base';
import {
  ComputeBudgetProgram,
  type Keypair,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringifyJson } from '../../src/core/rpc/json.ts';
import { instructionOf, signVersion1 } from '../../src/devkit/contract/scenario/version-1.ts';
import { readByKit } from '../core/wire/kit-transactions.ts';
import { newLedger, type TestLedger } from './new-ledger.ts';
import { fundedWallet, landed, memo, sendNow, transfer } from './transactions.ts';
import { rounds } from '../support/tier.ts';

/** A transaction that every ledger takes: transfers and memos, as many as fit, and limits that are enough. */
const plans = fc.record({
  version: fc.constantFrom('legacy' as const, 0 as const, 1 as const),
  transfers: fc.array(fc.bigInt({ min: 1n, max: 2n ** 40n }), { maxLength: 3 }),
  memos: fc.array(fc.string({ minLength: 1, maxLength: 120 }), { maxLength: 3 }),
  priorityFee: fc.bigInt({ min: 0n, max: 100_000n }),
});
type Plan = typeof plans extends fc.Arbitrary<infer T> ? T : never;

const UNITS = 400_000;
const LOADED_BYTES = 2 ** 20;
const LIMITS = { commitment: 'confirmed', maxSupportedTransactionVersion: 1 } as const;

async function textOf({ ledger }: TestLedger, wallet: Keypair, to: Keypair, plan: Plan): Promise<string> {
  const blockhash = ledger.blocks.blockhash(ledger.blocks.openSlot - 1n);
  const instructions = [
    ...plan.transfers.map((lamports) => transfer(wallet, to.publicKey, lamports)),
    ...plan.memos.map((text) => memo(text, wallet.publicKey)),
  ];
  if (plan.version === 1) {
    const { text } = await signVersion1(wallet, blockhash, {
      limits: {
        computeUnitLimit: UNITS,
        loadedAccountsDataSizeLimit: LOADED_BYTES,
        priorityFeeLamports: plan.priorityFee,
      },
      instructions: instructions.map(instructionOf),
    });
    return text;
  }
  const budget = [
    ComputeBudgetProgram.setComputeUnitLimit({ units: 1_000_000 }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: plan.priorityFee }),
  ];
  const message = new TransactionMessage({
    payerKey: wallet.publicKey,
    recentBlockhash: blockhash,
    instructions: [...budget, ...instructions],
  });
  const compiled = plan.version === 0 ? message.compileToV0Message() : message.compileToLegacyMessage();
  const transaction = new VersionedTransaction(compiled);
  transaction.sign([wallet]);
  return Buffer.from(transaction.serialize()).toString('base64');
}
test('a valid transaction of any version lands, and is read in every encoding as it was sent', async () => {
  const run = newLedger();
  const [wallet, to] = [await fundedWallet(run, 10n ** 17n), await fundedWallet(run)];
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      run.tick();
      const text = await textOf(run, wallet, to, plan);
      const wire = Buffer.from(text, 'base64');
      const { signatures, message } = readByKit(wire);
      const signature = await sendNow(run, text);
      expect(await landed(run, signature)).toMatchObject({ err: null, fee: 5_000n + plan.priorityFee });
      expect(signature).toBe(signatures[0]);
      run.tick();
      const slot = run.ledger.blocks.openSlot - 1n;
      const shown = async (encoding: 'json' | 'jsonParsed' | 'base58' | 'base64') => {
        const one = await run.call('getTransaction', signature, { ...LIMITS, encoding });
        const block = await run.call('getBlock', slot, { ...LIMITS, encoding });
        const inBlock = block !== null && 'transactions' in block ? block.transactions?.at(-1) : undefined;
        expect(one?.version).toBe(plan.version);
        expect(inBlock).toMatchObject({
          version: plan.version,
          transaction: one?.transaction,
          meta: one?.meta,
        });
        return one?.transaction;
      };
      expect(await shown('base64')).toEqual([text, 'base64']);
      expect(await shown('base58')).toEqual([base58.encode(wire), 'base58']);
      const { config, header, staticKeys, recentBlockhash, instructions } = message;
      const version1 = config === undefined ? {} : { transactionConfig: config };
      expect(await shown('json')).toEqual({
        signatures,
        message: {
          header,
          accountKeys: staticKeys,
          recentBlockhash,
          instructions: instructions.map(({ programIdIndex, accounts, data }) => ({
            programIdIndex,
            accounts,
            data: base58.encode(data),
            stackHeight: 1,
          })),
          ...(plan.version === 0 && { addressTableLookups: [] }),
          ...version1,
        },
      });
      const parsed = await shown('jsonParsed');
      expect(parsed).toMatchObject({ signatures, message: { recentBlockhash, ...version1 } });
      const printed = stringifyJson(parsed);
      for (const memoText of plan.memos) expect(printed).toContain(JSON.stringify(memoText));
      for (const lamports of plan.transfers) expect(printed).toContain(`"lamports":${lamports}`);
    }),
    { numRuns: rounds(60) },
  );
});
