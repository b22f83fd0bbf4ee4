import { Keypair } from '@solana/web3.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accountKeys } from '../../../src/localnet/transaction/account-keys.ts';
import { everything } from '../disk/kept-ledger.ts';
import { sendNow, signed, SOL, transfer } from '../transactions.ts';
import { type CheatLedger, newCheatLedger } from './new-cheat-ledger.ts';

const WALLETS = 3;
const NAMES = ['a', 'b', 'c'];
const wallet = fc.nat(WALLETS - 1);
const name = fc.constantFrom(...NAMES);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('transfer' as const),
      from: wallet,
      to: wallet,
      sol: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('airdrop' as const), to: wallet }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('tick' as const), slots: fc.integer({ min: 1, max: 40 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('warp' as const), slots: fc.integer({ min: 1, max: 5_000 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('snapshot' as const), name }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('restore' as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), name }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Run = {
  readonly test: CheatLedger;
  readonly wallets: readonly Keypair[];
  readonly states: Map<string, readonly string[]>;
};

test('whatever is sent, branched and restored: lamports are conserved but for rewards, all is indexed, and a branch answers as it did', async () => {
  const run = fc.record({ steps: fc.array(step, { minLength: 5, maxLength: 25 }), votes: fc.boolean() });
  await fc.assert(fc.asyncProperty(run, keepsPromises), { numRuns: 10 });
});

async function keepsPromises({
  steps,
  votes,
}: {
  readonly steps: readonly Step[];
  readonly votes: boolean;
}): Promise<void> {
  const test = newCheatLedger({ slotsPerEpoch: 64, historySlots: 600, votes });
  const run: Run = {
    test,
    wallets: Array.from({ length: WALLETS }, () => Keypair.generate()),
    states: new Map(),
  };
  const total = lamportsOf(test);
  for (const each of [{ kind: 'airdrop', to: 0 } as const, ...steps]) {
    await act(run, each);
    if (!votes && test.ledger.blocks.firstAvailable === 0n) expect(lamportsOf(test)).toBe(total);
  }
  isIndexed(test);
}

async function act({ test, wallets, states }: Run, each: Step): Promise<void> {
  const addressOf = (index: number) => wallets[index]?.publicKey.toBase58() ?? '';
  const addresses = wallets.map(({ publicKey }) => publicKey.toBase58());
  switch (each.kind) {
    case 'tick':
      return test.tick(each.slots);
    case 'warp':
      await test.cheat('localnet_warp', { slot: test.ledger.blocks.openSlot + BigInt(each.slots) });
      return;
    case 'airdrop':
      await test.call('requestAirdrop', addressOf(each.to), SOL);
      return;
    case 'transfer': {
      const [from, to] = [wallets[each.from], wallets[each.to]];
      if (from === undefined || to === undefined) return;
      await sendNow(test, signed(test, [from], transfer(from, to.publicKey, BigInt(each.sol) * SOL)));
      return;
    }
    case 'snapshot':
      await test.cheat('localnet_snapshot', each.name);
      states.set(each.name, await seen(test, addresses));
      return;
    case 'delete':
      expect(await test.cheat('localnet_deleteSnapshot', each.name)).toBe(states.delete(each.name));
      return;
    case 'restore':
      if (!states.has(each.name)) return;
      await test.cheat('localnet_restore', each.name);
      expect(await seen(test, addresses)).toEqual(states.get(each.name));
      return;
    default:
      each satisfies never;
  }
}

async function seen(test: CheatLedger, addresses: readonly string[]): Promise<readonly string[]> {
  const { ledger } = test;
  const slot = ledger.blocks.openSlot;
  const accounts = [...ledger.accounts.all(slot)]
    .map(({ address, account }) => `${address} ${account.lamports}`)
    .sort();
  for (const address of addresses)
    expect(ledger.runtime.read(address)).toEqual(ledger.accounts.read(address, slot));
  const open = ledger.blocks.openTransactions.flatMap(({ transaction }) => transaction.signatures);
  return [...accounts, ...open, String(ledger.blocks.time(slot)), ...(await everything(test, addresses))];
}

/** All lamports, with the fees that were burnt and without the rewards that were paid in the blocks that are kept. */
function lamportsOf({ ledger }: CheatLedger): bigint {
  const { accounts, blocks } = ledger;
  let sum = 0n;
  for (const { account } of accounts.all(blocks.openSlot)) sum += account.lamports;
  for (const slot of [...blocks.ancestors(blocks.openSlot, 10_000n), blocks.openSlot])
    for (const { meta } of blocks.transactions(slot)) sum += meta.fee;
  const closed = [...blocks.ancestors(blocks.openSlot, 10_000n)].map((slot) => blocks.rewards(slot));
  for (const rewards of [...closed, blocks.take().openRewards])
    for (const { lamports } of rewards?.paid ?? []) sum -= lamports;
  return sum;
}

function isIndexed({ ledger: { blocks } }: CheatLedger): void {
  let count = 0;
  for (const slot of [...blocks.ancestors(blocks.openSlot, 10_000n), blocks.openSlot])
    for (const record of blocks.transactions(slot)) {
      count += 1;
      expect(blocks.index.find(record.transaction.signatures[0] ?? '')).toBe(record);
      for (const key of accountKeys(record.transaction.message, record.meta.loadedAddresses)) {
        const under = blocks.index.ofAddress(key);
        expect(under).toContain(record);
        expect(under.toSorted((a, b) => Number(a.slot - b.slot) || a.index - b.index)).toEqual([...under]);
      }
    }
  expect(blocks.index.size).toBe(count);
}
