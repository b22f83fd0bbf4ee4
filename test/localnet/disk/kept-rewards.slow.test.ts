import { expect, test } from 'vitest';
import { readSlot, slotBytes } from '../../../src/localnet/disk/segments.ts';
import { newLedger, type TestLedger } from '../new-ledger.ts';
import { setCommission } from '../rewards/set-commission.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { keptLedger } from './kept-ledger.ts';

const directory = useNewDirectory();
/** An epoch begins with slot 64: that block pays vote accounts, the next one stakes. */
const OPTIONS = { slotsPerEpoch: 32, votes: true } as const;
const COMMISSION = { bps: 2_000 } as const;
const END = 70n;
const SYSVAR = 'SysvarEpochRewards1111111111111111111111111';

function open({ ledger, tick }: TestLedger, slot: bigint): void {
  while (ledger.blocks.openSlot < slot) tick();
}

/** Rewards, and what the accounts that they are paid to have in the end; none of it depends on the time of the start. */
async function outcome({ call, ledger }: TestLedger): Promise<object> {
  const { voteAddress, stakeAddress } = ledger.genesis;
  const asked = { commitment: 'confirmed', epoch: 1 } as const;
  const balances = [voteAddress, stakeAddress].map((address) => ledger.accounts.current(address)?.lamports);
  const { value } = await call('getSupply', { commitment: 'confirmed' });
  const rewards = await call('getInflationReward', [voteAddress, stakeAddress], asked);
  return { balances, rewards, supply: value.total };
}

/** The confirmed blocks, without votes, which are not kept. */
async function confirmed({ call, ledger }: TestLedger): Promise<readonly unknown[]> {
  const slot = ledger.slotAt('confirmed');
  const config = { commitment: 'confirmed', encoding: 'base64' } as const;
  const addresses = [ledger.genesis.voteAddress, ledger.genesis.stakeAddress, SYSVAR];
  const summary = { commitment: 'confirmed', transactionDetails: 'none' } as const;
  return [
    slot,
    await call('getMultipleAccounts', addresses, config),
    await call('getSupply', config),
    ...(await Promise.all([slot - 1n, slot].map((each) => call('getBlock', each, summary)))),
  ];
}

test.each([64n, 65n, 66n])('killed with slot %i open, it pays each reward once', async (killed) => {
  const whole = newLedger(OPTIONS);
  setCommission(whole.ledger, COMMISSION);
  open(whole, END);
  const expected = await outcome(whole);
  expect(expected).toMatchObject({ rewards: [{ commissionBps: 2_000 }, { effectiveSlot: 65n }] });
  const first = await keptLedger(directory(), OPTIONS);
  setCommission(first.ledger, COMMISSION);
  open(first, killed);
  const before = await confirmed(first);
  await first.kill();
  const second = await keptLedger(directory(), OPTIONS);
  expect(await confirmed(second)).toEqual(before);
  open(second, END);
  expect(await outcome(second)).toEqual(expected);
  const after = await confirmed(second);
  await second.kill();
  const third = await keptLedger(directory(), OPTIONS);
  expect([await outcome(third), await confirmed(third)]).toEqual([expected, after]);
  await third.kill();
});

/** Slot 3200 begins an epoch; both are the open slot of a ledger that begins with them. */
test.each([3_200n, 3_201n])(
  'begun with slot %i and killed at once, it pays each reward once',
  async (warpSlot) => {
    const options = { slotsPerEpoch: 32, warpSlot };
    const first = await keptLedger(directory(), options);
    await first.kill();
    const second = await keptLedger(directory(), options);
    const { ledger } = second;
    const stored = (run: TestLedger) => run.ledger.accounts.current(ledger.genesis.stakeAddress);
    const whole = newLedger(options);
    expect([second.damage, stored(second)]).toEqual([[], stored(whole)]);
    open(second, warpSlot + 3n);
    open(whole, warpSlot + 3n);
    expect(stored(second)).toEqual(stored(whole));
    expect(ledger.runtime.read(ledger.genesis.stakeAddress)).toEqual(stored(second));
    const supplies = [second, whole].map((run) => run.call('getSupply', { commitment: 'confirmed' }));
    const [own, expected] = await Promise.all(supplies);
    expect(own?.value.total).toBe(expected?.value.total);
    await second.kill();
  },
);

test('a slot of a ledger that paid no rewards has the bytes that it always had', () => {
  const record = {
    slot: 7n,
    time: 1_700_000_000n,
    blockhash: new Uint8Array(32).fill(9),
    transactionCount: 3,
    transactions: [],
    rewards: undefined,
    accounts: [],
  };
  const head = `0700000000000000${'00f1536500000000'}${'09'.repeat(32)}030000000000000000000000${'00000000'}`;
  expect(slotBytes(record).toString('hex')).toBe(head);
  expect(read(Buffer.from(head, 'hex'))).toEqual(record);
  const rewards = { paid: [], due: [{ address: 'a', lamports: 5n, commissionBps: 1, creditsObserved: 2n }] };
  expect(read(slotBytes({ ...record, rewards }))).toEqual({ ...record, rewards });
});

function read(bytes: Buffer): object {
  const { accounts, ...rest } = readSlot(bytes);
  return { ...rest, accounts: [...accounts] };
}
