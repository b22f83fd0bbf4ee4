import { expect, test } from 'vitest';
import { useNewDirectory } from '../../support/new-directory.ts';
import { newLedger } from '../new-ledger.ts';
import { keptLedger } from './kept-ledger.ts';

const directory = useNewDirectory();

test('a ledger on disk tells the slot of its snapshot from its first moment on', async () => {
  const first = await keptLedger(directory());
  expect(await first.call('getHighestSnapshotSlot')).toEqual({ full: 0n, incremental: null });
  await first.kill();
});

test('a later snapshot counts once its slot is finalized, and after a start', async () => {
  const first = await keptLedger(directory());
  first.tick(100);
  await first.kill();
  const second = await keptLedger(directory());
  const { full } = await second.call('getHighestSnapshotSlot');
  expect(full).toBeGreaterThan(0n);
  expect(full).toBeLessThanOrEqual(second.ledger.slotAt('finalized'));
  expect(second.ledger.keeper?.snapshotSlots()).toContain(full);
  expect(second.ledger.keeper?.snapshotSlots()[0]).toBeGreaterThan(second.ledger.slotAt('finalized'));
  await second.kill();
});

test('after a restore it is that of the branch', async () => {
  const first = await keptLedger(directory());
  first.tick(10);
  const state = first.ledger.take();
  first.tick(100);
  first.ledger.goTo(state);
  const { full } = await first.call('getHighestSnapshotSlot');
  expect(full).toBe(first.ledger.slotAt('finalized'));
  await first.kill();
});

test('a ledger in memory has none', async () => {
  expect((await newLedger().refusal('getHighestSnapshotSlot')).code).toBe('noSnapshot');
});
