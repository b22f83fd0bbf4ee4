import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { MINIMUM_HISTORY_SLOTS } from '../../src/localnet/blocks/block-history.ts';
import { PerformanceSamples } from '../../src/localnet/validator/performance-samples.ts';
import { newLedger } from './new-ledger.ts';
import { SOL } from './transactions.ts';

const SLOTS = 600;
const address = Keypair.generate().publicKey.toBase58();

test('blocks below the history are cleaned up, with their transactions', async () => {
  const { ledger, call, refusal, tick } = newLedger({ historySlots: SLOTS });
  const signature = await call('requestAirdrop', address, SOL);
  tick(SLOTS - 32);
  expect(await call('getFirstAvailableBlock')).toBe(0n);
  tick(1);
  expect(await call('getFirstAvailableBlock')).toBe(1n);
  expect(await call('minimumLedgerSlot')).toBe(1n);
  expect((await refusal('getBlock', 0)).message).toBe(
    'Block 0 cleaned up, does not exist on node. First available block: 1',
  );
  expect(await call('getBlockTime', 0)).toBe(ledger.genesis.time);
  const first = await call('getBlock', 1);
  expect(first).toMatchObject({ parentSlot: 0n, previousBlockhash: await call('getGenesisHash') });
  expect(await call('getTransaction', signature)).toMatchObject({ slot: 32n });
  tick(32);
  expect((await refusal('getBlockTime', 1)).code).toBe('blockCleanedUp');
  expect(await call('getTransaction', signature)).toBeNull();
  expect(await call('getSignaturesForAddress', address)).toEqual([]);
  expect((await call('getSignatureStatuses', [signature], { searchTransactionHistory: true })).value).toEqual(
    [null],
  );
  expect((await call('getBlocks', 0, 40))[0]).toBe(await call('getFirstAvailableBlock'));
  expect((await call('getBalance', address)).value).toBe(SOL);
});

test('the oldest blocks go when there are more transactions than the history may hold', async () => {
  const { ledger, call, tick } = newLedger({ historyTransactions: 100 });
  for (let slot = 0; slot < 1000; slot++) {
    await call('requestAirdrop', address, SOL);
    tick();
  }
  expect(ledger.blocks.index.size).toBeLessThanOrEqual(MINIMUM_HISTORY_SLOTS + 1);
  expect(await call('getFirstAvailableBlock')).toBe(ledger.blocks.openSlot - BigInt(MINIMUM_HISTORY_SLOTS));
});

test('structures stay bounded over 50,000 slots with transactions', async () => {
  const { ledger, call, tick } = newLedger({ historySlots: 1000 });
  const wallets = Array.from({ length: 50 }, () => Keypair.generate().publicKey.toBase58());
  for (let round = 0; round < 1000; round++) {
    await call('requestAirdrop', wallets[round % wallets.length] ?? address, SOL);
    tick(50);
  }
  expect(ledger.blocks.openSlot).toBe(50_032n);
  expect(ledger.blocks.index.size).toBe(20);
  expect(ledger.blocks.index.addressCount).toBeLessThanOrEqual(20 + 2);
  expect(ledger.accounts.undoSize).toBe(0);
  expect(ledger.accounts.size).toBeLessThan(400);
  expect(ledger.blocks.openSlot - ledger.blocks.firstAvailable).toBe(1000n);
  expect(await call('getRecentPerformanceSamples', 1)).toMatchObject([
    { numSlots: 150n, samplePeriodSecs: 60 },
  ]);
});

test('a clock that is set back delays no sample beyond a minute', () => {
  const samples = new PerformanceSamples({ timeMs: 1_000_000, slot: 1n, transactions: 0, votes: 0 });
  samples.observe({ timeMs: 500_000, slot: 2n, transactions: 0, votes: 0 });
  samples.observe({ timeMs: 560_000, slot: 152n, transactions: 7, votes: 0 });
  expect(samples.latest(1)).toEqual([{ slot: 152n, transactions: 7, votes: 0, slots: 150n, seconds: 60 }]);
});
