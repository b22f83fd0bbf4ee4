import { expect, test } from 'vitest';
import { epochPayout, type Voter } from '../../../src/localnet/rewards/pay-rewards.ts';
import type { Delegation } from '../../../src/localnet/validator/delegation.ts';
import { epochInflation } from '../../../src/localnet/validator/inflation.ts';

const NEVER = 2n ** 64n - 1n;
const EPOCH = 2n;
const SOL = 1_000_000_000n;
/** 100 credits in each of the epochs 0 to 2. */
const CREDITS = [0n, 1n, 2n].map((epoch) => ({
  epoch,
  credits: (epoch + 1n) * 100n,
  previousCredits: epoch * 100n,
}));

const voter = (given: Partial<Voter> = {}): Voter => ({
  credits: CREDITS,
  commissionBps: 0,
  collector: 'vote',
  ...given,
});
/** A stake that was always effective, and was paid up to the end of epoch 1. */
const stake = (given: Partial<Delegation> = {}): Delegation => ({
  voter: 'vote',
  stake: SOL,
  activationEpoch: NEVER,
  deactivationEpoch: NEVER,
  creditsObserved: 200n,
  ...given,
});

function pay(lamports: bigint, stakes: readonly Delegation[], voters: Readonly<Record<string, Voter>>) {
  const { due, commissions, value } = epochPayout({
    epoch: EPOCH,
    lamports,
    voters: new Map(Object.entries(voters)),
    history: new Map(
      [0n, 1n, 2n].map((epoch) => [epoch, { effective: SOL, activating: 0n, deactivating: 0n }]),
    ),
    delegations: stakes.map((delegation, index) => ({ address: `stake ${index}`, delegation })),
  });
  const total = [...due, ...commissions].reduce((sum, each) => sum + each.lamports, 0n);
  expect(total).toBeLessThanOrEqual(lamports);
  return {
    stakes: Object.fromEntries(
      due.map(({ address, lamports: paid, creditsObserved }) => [address, [paid, creditsObserved]]),
    ),
    commissions: Object.fromEntries(commissions.map((each) => [each.collector, each.lamports])),
    points: value.points,
  };
}

test('an epoch is shared by stake times credits, with the commission of the vote account', () => {
  expect(
    pay(1_000n, [stake({ stake: 3n * SOL }), stake()], { vote: voter({ commissionBps: 1_000 }) }),
  ).toEqual({
    points: 400n * SOL,
    stakes: { 'stake 0': [675n, 300n], 'stake 1': [225n, 300n] },
    commissions: { vote: 100n },
  });
});

test('a validator that voted half as often earns half for its stakes', () => {
  const half = [{ epoch: 2n, credits: 50n, previousCredits: 0n }];
  const voters = { vote: voter(), other: voter({ credits: half, collector: 'other' }) };
  expect(pay(900n, [stake(), stake({ voter: 'other', creditsObserved: 0n })], voters)).toMatchObject({
    points: 150n * SOL,
    stakes: { 'stake 0': [600n, 300n], 'stake 1': [300n, 50n] },
    commissions: { vote: 0n, other: 0n },
  });
});

test('credits of several epochs are paid at once, and those of a part of an epoch', () => {
  const { stakes, points } = pay(
    1_000n,
    [stake({ creditsObserved: 0n }), stake({ creditsObserved: 250n }), stake({ creditsObserved: 150n })],
    { vote: voter() },
  );
  expect(points).toBe((300n + 50n + 150n) * SOL);
  expect(stakes).toEqual({ 'stake 0': [600n, 300n], 'stake 1': [100n, 300n], 'stake 2': [300n, 300n] });
});

test('in its first epoch a stake earns nothing, and the credits of that epoch are settled', () => {
  const { stakes } = pay(1_000n, [stake(), stake({ activationEpoch: EPOCH })], { vote: voter() });
  expect(stakes).toEqual({ 'stake 0': [1_000n, 300n], 'stake 1': [0n, 300n] });
});

test('a stake without new credits stays as it is; one whose vote account was made again takes over its credits', () => {
  const { stakes } = pay(
    1_000n,
    [stake(), stake({ creditsObserved: 300n }), stake({ creditsObserved: 500n }), stake({ voter: 'gone' })],
    { vote: voter() },
  );
  expect(stakes).toEqual({ 'stake 0': [1_000n, 300n], 'stake 2': [0n, 300n] });
});

test('a reward of which one side would get less than a lamport waits for the next epoch', () => {
  const small = stake({ stake: SOL / 100n });
  expect(pay(1_010n, [stake(), small], { vote: voter({ commissionBps: 500 }) })).toMatchObject({
    stakes: { 'stake 0': [950n, 300n] },
    commissions: { vote: 50n },
  });
  expect(pay(1_010n, [stake(), small], { vote: voter() }).stakes['stake 1']).toEqual([10n, 300n]);
  expect(pay(1_010n, [stake(), small], { vote: voter({ commissionBps: 10_000 }) })).toMatchObject({
    stakes: { 'stake 0': [0n, 300n], 'stake 1': [0n, 300n] },
    commissions: { vote: 1_010n },
  });
});

test('without points nothing is paid', () => {
  expect(pay(1_000n, [stake({ creditsObserved: 300n })], { vote: voter() })).toEqual({
    points: 0n,
    stakes: {},
    commissions: {},
  });
});

test.each([
  { slots: 432_000n, firstSlot: 432_000n, supply: 500_000_000n * SOL, lamports: 207_896_009_982_131n },
  // Of the ninth year on the foundation has no part.
  { slots: 432_000n, firstSlot: 631_138_520n, supply: 500_000_000n * SOL, lamports: 59_684_346_598_123n },
  { slots: 32n, firstSlot: 32n, supply: 1_000_000_000n * SOL, lamports: 30_826_828_192n },
])('an epoch of $slots slots from slot $firstSlot on inflates by $lamports lamports', (epoch) => {
  const { slots: slotsPerEpoch, firstSlot, supply, lamports } = epoch;
  expect(epochInflation({ supply, firstSlot, slotsPerEpoch, slotMs: 400 })).toBe(lamports);
});
