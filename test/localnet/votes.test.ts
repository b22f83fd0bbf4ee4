import { expect, test } from 'vitest';
import { newLedger } from './new-ledger.ts';
import { fundedWallet, memo, sendNow, signed } from './transactions.ts';

const CONFIRMED = { commitment: 'confirmed' } as const;
const VOTE = 'Vote111111111111111111111111111111111111111';

test('every block holds the vote for the slot before it, which the vote program has counted', async () => {
  const { call, ledger, tick } = newLedger({ votes: true });
  const { identity, voteAddress } = ledger.genesis;
  const before = (await call('getBalance', identity.address)).value;
  tick(100);
  const slot = await call('getSlot', CONFIRMED);
  const block = await call('getBlock', slot, {
    ...CONFIRMED,
    encoding: 'jsonParsed',
    maxSupportedTransactionVersion: 0,
  });
  expect(block).toMatchObject({
    transactions: [
      {
        meta: {
          err: null,
          fee: 5_000n,
          logMessages: [`Program ${VOTE} invoke [1]`, `Program ${VOTE} success`],
        },
        transaction: {
          message: {
            instructions: [
              {
                program: 'vote',
                parsed: {
                  type: 'towersync',
                  info: {
                    voteAccount: voteAddress,
                    voteAuthority: identity.address,
                    towerSync: { root: slot - 32n, lockouts: { length: 31 } },
                  },
                },
              },
            ],
          },
        },
      },
    ],
  });
  expect(await call('getVoteAccounts', CONFIRMED)).toMatchObject({
    ...{ delinquent: [], current: [{ votePubkey: voteAddress, lastVote: slot - 1n, rootSlot: slot - 32n }] },
  });
  const credits = (await call('getVoteAccounts', CONFIRMED)).current[0]?.epochCredits[0]?.[1] ?? 0n;
  expect(credits).toBeGreaterThan(1_000n);
  expect((await call('getBalance', identity.address, CONFIRMED)).value).toBe(before - 100n * 5_000n);
  expect(await call('getTransactionCount', CONFIRMED)).toBe(100n);
  const [newest] = await call('getSignaturesForAddress', voteAddress, { ...CONFIRMED, limit: 1 });
  expect(newest).toMatchObject({ slot, err: null });
});

test('at each commitment the vote account is what it was', async () => {
  const { call, ledger, tick } = newLedger({ votes: true });
  tick(60);
  const lastVotes = [];
  for (const commitment of ['processed', 'confirmed', 'finalized'] as const) {
    const slot = await call('getSlot', { commitment });
    const { value } = await call('getAccountInfo', ledger.genesis.voteAddress, {
      commitment,
      encoding: 'jsonParsed',
    });
    expect(value?.data).toMatchObject({ parsed: { info: { lastTimestamp: { slot: slot - 1n } } } });
    lastVotes.push(slot);
  }
  expect(new Set(lastVotes).size).toBe(3);
});

test('votes of the newest 511 blocks are kept, and other transactions as long as ever', async () => {
  const test = newLedger({ votes: true });
  const wallet = await fundedWallet(test);
  const signature = await sendNow(test, signed(test, [wallet], memo('stays')));
  test.tick(600);
  const { blocks } = test.ledger;
  expect(await test.call('getTransaction', signature)).toMatchObject({ slot: 32n, transactionIndex: 2 });
  const old = await test.call('getBlock', 32, {
    transactionDetails: 'signatures',
    maxSupportedTransactionVersion: 0,
  });
  expect(old).toMatchObject({ signatures: { length: 2 } });
  expect(blocks.transactions(blocks.openSlot - 512n)).toEqual([]);
  expect(blocks.transactions(blocks.openSlot - 511n)).toHaveLength(1);
  expect(blocks.index.size).toBe(512 + 2);
});

test('votes bid for nothing and are counted apart', async () => {
  const { call, tick } = newLedger({ votes: true });
  tick(200);
  expect(await call('getRecentPrioritizationFees')).toEqual([]);
  const [sample] = await call('getRecentPerformanceSamples', 1);
  expect(sample).toMatchObject({ numTransactions: 150n, numNonVoteTransactions: 0n, numSlots: 150n });
});

test.each([0, 1, 31])(
  'with %i slots to finality, epochs of 32 slots and a late start the votes count',
  async (finalitySlots) => {
    const { call, tick } = newLedger({ votes: true, finalitySlots, slotsPerEpoch: 32, warpSlot: 1_000n });
    tick(100);
    const slot = await call('getSlot', CONFIRMED);
    expect((await call('getVoteAccounts', CONFIRMED)).current).toMatchObject([
      { lastVote: slot - 1n, rootSlot: slot - 32n },
    ]);
  },
);

test('from the start the validator is current at every commitment, and its votes go on from there', async () => {
  for (const warpSlot of [0n, 1_000n]) {
    const { call, ledger, tick } = newLedger({ votes: true, warpSlot });
    const { voteAddress } = ledger.genesis;
    for (let ticks = 0; ticks < 40; ticks++) {
      for (const commitment of ['processed', 'confirmed', 'finalized'] as const) {
        const slot = await call('getSlot', { commitment });
        const { current, delinquent } = await call('getVoteAccounts', { commitment });
        expect([slot, current, delinquent]).toMatchObject([
          slot,
          slot < 2n ? [] : [{ votePubkey: voteAddress, lastVote: slot - 1n }],
          slot < 2n ? [{ votePubkey: voteAddress }] : [],
        ]);
      }
      tick();
    }
  }
});
