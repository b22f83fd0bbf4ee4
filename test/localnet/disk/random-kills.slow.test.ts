import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accountKeys } from '../../../src/localnet/transaction/account-keys.ts';
import { signatureOf } from '../../../src/localnet/blocks/transaction-index.ts';
import type { LedgerSnapshot } from '../../../src/localnet/ledger-state.ts';
import { sendNow, signed, SOL, transfer } from '../transactions.ts';
import { everything, keptLedger, type KeptLedger } from './kept-ledger.ts';
import { rounds } from '../../support/tier.ts';

const WALLETS = 3;
const wallet = fc.nat(WALLETS - 1);
const lamports = fc.bigInt({ min: 0n, max: 3n * SOL });
const step = fc.oneof(
  fc.record({ kind: fc.constant('airdrop' as const), to: wallet, lamports }),
  fc.record({ kind: fc.constant('transfer' as const), from: wallet, to: wallet, lamports }),
  fc.record({ kind: fc.constant('tick' as const), slots: fc.integer({ min: 1, max: 45 }) }),
  fc.constant({ kind: 'kill' as const }),
  fc.constant({ kind: 'snapshot' as const }),
  fc.constant({ kind: 'restore' as const }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test('whatever is sent and however often it is killed or goes back: lamports and rewards add up, and all that was closed is as it was', async () => {
  const kept = fc.record({ steps: fc.array(step, { maxLength: 30 }), votes: fc.boolean() });
  await fc.assert(fc.asyncProperty(kept, survives), { numRuns: rounds(12) });
});

async function survives({
  steps,
  votes,
}: {
  readonly steps: readonly Step[];
  readonly votes: boolean;
}): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'keyslot-test-'));
  const options = { slotsPerEpoch: 40, votes };
  const wallets = Array.from({ length: WALLETS }, () => Keypair.generate());
  const addresses = wallets.map(({ publicKey }) => publicKey.toBase58());
  let run = await keptLedger(directory, options);
  const total = await supplyOf(run);
  let taken: { readonly snapshot: LedgerSnapshot; readonly seen: readonly string[] } | undefined;
  try {
    for (const each of steps) {
      switch (each.kind) {
        case 'kill': {
          const before = await readKept(run, addresses);
          await run.kill();
          run = await keptLedger(directory, options);
          expect(await readKept(run, addresses)).toEqual(before);
          // Snapshots are in memory.
          taken = undefined;
          break;
        }
        case 'snapshot':
          taken = { snapshot: run.ledger.take(), seen: await readKept(run, addresses) };
          break;
        case 'restore':
          if (taken === undefined) break;
          run.ledger.goTo(taken.snapshot);
          expect(await readKept(run, addresses)).toEqual(taken.seen);
          break;
        default:
          await act(run, wallets, each);
      }
    }
    run.tick();
    await assertWhole(run, total);
  } finally {
    await run.kill();
    rmSync(directory, { recursive: true });
  }
}

/** Own votes are in no block after a kill; everything else is compared. */
async function readKept(run: KeptLedger, addresses: readonly string[]): Promise<readonly string[]> {
  const { blocks } = run.ledger;
  if (!run.ledger.votes) return await everything(run, addresses);
  const texts = [];
  for (let slot = blocks.firstAvailable; slot < blocks.openSlot; slot++)
    texts.push(`${slot} ${blocks.blockhash(slot)} ${blocks.transactions(slot).map(signatureOf).join()}`);
  for (const commitment of ['confirmed', 'finalized'] as const)
    texts.push(
      JSON.stringify((await run.call('getSupply', { commitment })).value, (_key, value) => String(value)),
    );
  return texts;
}

async function assertWhole(run: KeptLedger, total: bigint): Promise<void> {
  const { blocks } = run.ledger;
  let [fees, rewards] = [0n, 0n];
  for (let slot = blocks.firstAvailable; slot < blocks.openSlot; slot++) {
    const block = blocks.block(slot);
    if (slot > blocks.firstAvailable) expect(block?.previousBlockhash).toBe(blocks.blockhash(slot - 1n));
    for (const { lamports: reward } of block?.rewards?.paid ?? []) rewards += reward;
    for (const record of block?.transactions ?? []) {
      fees += record.meta.fee;
      for (const address of accountKeys(record.transaction.message, record.meta.loadedAddresses))
        expect(blocks.index.ofAddress(address)).toContain(record);
    }
  }
  if (!run.ledger.votes) expect((await supplyOf(run)) + fees - rewards).toBe(total);
  const [processed, confirmed, finalized] = [
    await run.call('getSlot', { commitment: 'processed' }),
    await run.call('getSlot', { commitment: 'confirmed' }),
    await run.call('getSlot', { commitment: 'finalized' }),
  ];
  expect([processed > confirmed, confirmed > finalized]).toEqual([true, true]);
}

async function supplyOf({ call }: KeptLedger): Promise<bigint> {
  return (await call('getSupply', { commitment: 'confirmed' })).value.total;
}

async function act(
  run: KeptLedger,
  wallets: readonly Keypair[],
  each: Extract<Step, { kind: 'airdrop' | 'transfer' | 'tick' }>,
): Promise<void> {
  if (each.kind === 'tick') {
    run.tick(each.slots);
    return;
  }
  const to = wallets[each.to];
  if (to === undefined) return;
  if (each.kind === 'airdrop') {
    await run.call('requestAirdrop', to.publicKey.toBase58(), each.lamports);
    return;
  }
  const from = wallets[each.from];
  if (from !== undefined)
    await sendNow(run, signed(run, [from], transfer(from, to.publicKey, each.lamports)));
}
