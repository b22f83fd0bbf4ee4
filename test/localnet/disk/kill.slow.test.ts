import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { newAddress } from './kept-ledger.ts';
import { type LedgerProcess, startLedgerProcess } from './ledger-process.ts';

const directory = useNewDirectory();
const ROUNDS = 3;
const AIRDROPS = 8;

const start = (folder: string, ...more: readonly string[]): Promise<LedgerProcess> =>
  startLedgerProcess('--slot-ms', '20', '--ledger', folder, ...more);

test('what was confirmed is there after a kill at any moment, and the chain continues', {
  timeout: 120_000,
}, async () => {
  const folder = join(directory(), 'ledger');
  const kept: { readonly address: string; readonly signature: string; readonly slot: number }[] = [];
  let genesis: unknown;
  let slot = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { node, ask, kill } = await start(folder);
    expect([node.ended(), node.stderr()]).toEqual([undefined, '']);
    genesis ??= await ask('getGenesisHash');
    expect(await ask('getGenesisHash')).toBe(genesis);
    expect(await ask('getSlot', { commitment: 'confirmed' })).toBeGreaterThanOrEqual(slot);
    for (const one of kept) {
      expect(await ask('getBalance', one.address, { commitment: 'confirmed' })).toMatchObject({
        value: 1_000_000_000,
      });
      expect(await ask('getTransaction', one.signature, { commitment: 'confirmed' })).toMatchObject({
        slot: one.slot,
      });
    }
    for (let count = 0; count < AIRDROPS; count++) {
      const address = newAddress();
      const signature = String(await ask('requestAirdrop', address, 1_000_000_000));
      const status = await eventually('it is confirmed', async () => {
        const { value } = (await ask('getSignatureStatuses', [signature])) as {
          value: ({ confirmationStatus: string; slot: number } | null)[];
        };
        return value[0]?.confirmationStatus === 'finalized' ? value[0] : undefined;
      });
      kept.push({ address, signature, slot: status.slot });
      slot = status.slot;
    }
    await kill();
  }
});

test('a ledger that continues says which options it does not follow; --reset starts a new one', {
  timeout: 60_000,
}, async () => {
  const folder = join(directory(), 'ledger');
  const first = await start(folder, '--slots-per-epoch', '64');
  const genesis = await first.ask('getGenesisHash');
  await first.node.stop();
  expect([first.node.ended(), first.node.stderr()]).toEqual(['exit code 0', '']);
  const second = await start(folder, '--mint', newAddress(), '--slots-per-epoch', '32');
  expect([await second.ask('getGenesisHash'), await second.ask('getEpochSchedule')]).toMatchObject([
    genesis,
    { slotsPerEpoch: 64 },
  ]);
  await second.node.stop();
  expect(second.node.stderr()).toBe(
    'localnet: ignoring --mint, --slots-per-epoch 32 (it has 64): the ledger already exists; --reset starts a new one\n',
  );
  const third = await start(folder, '--reset');
  expect(await third.ask('getGenesisHash')).not.toBe(genesis);
  await third.node.stop();
});
