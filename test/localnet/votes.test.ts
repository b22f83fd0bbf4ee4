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
    delinquent: [],
    current: [{ votePubkey: voteAddress, lastVote: slot - 1n, rootSlot: slot - 32n }],
  });
  const credits = (await call('getVoteAccounts', CONFIRMED)).current[0]?.epochCredits[0]?.[1] ?? 0n;
  expect(credits).toBeGreaterThan(1_000n);
  expect((await call('getBalance', identity.address, CONFIRMED)).value).toBe(before - 100n * 5_000n);
  expect(await call('getTransactionCount', CONFIRMED)).toBe(100n);
  const [newest] = await call('getSignaturesForAddress', voteAddress, { ...CONFIRMED, limit: 1 });
  expect(newest).toMatchObject({ slot, err: null });
});

test.each([0, 31])(
  'with %i slots to finality only the blocks with which a ledger begins are empty',
  (finalitySlots) => {
    const { ledger, tick } = newLedger({ votes: true, finalitySlots });
    tick(40);
    const { blocks } = ledger;
    const empty = [...blocks.ancestors(blocks.openSlot, 1_000n)].filter(
      (slot) => blocks.transactions(slot).length === 0,
    );
    expect(empty).toEqual(
      Array.from({ length: finalitySlots + 1 }, (_, index) => BigInt(finalitySlots - index)),
    );
  },
);

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

test('a finalized block keeps its votes as long as it is there, and they their statuses', async () => {
  const test = newLedger({ votes: true, historySlots: 600 });
  const wallet = await fundedWallet(test);
  await sendNow(test, signed(test, [wallet], memo('stays')));
  test.tick(40);
  const options = {
    transactionDetails: 'full',
    encoding: 'base64',
    maxSupportedTransactionVersion: 0,
  } as const;
  const blocks = () => Promise.all([32, 33].map((slot) => test.call('getBlock', slot, options)));
  const seen = await blocks();
  expect(seen).toMatchObject([{ transactions: { length: 3 } }, { transactions: { length: 1 } }]);
  const [vote = ''] = test.ledger.blocks.transactions(33n)[0]?.transaction.signatures ?? [];
  const status = () => test.call('getSignatureStatuses', [vote], { searchTransactionHistory: true });
  test.tick(550);
  expect(await blocks()).toEqual(seen);
  expect((await status()).value).toMatchObject([{ slot: 33n, confirmationStatus: 'finalized' }]);
  test.tick(30);
  expect((await test.refusal('getBlock', 33, options)).code).toBe('blockCleanedUp');
  expect((await status()).value).toEqual([null]);
});

test('votes count among the transactions that are kept', () => {
  const { ledger, tick } = newLedger({ votes: true, historyTransactions: 1_000 });
  tick(1_200);
  const { blocks } = ledger;
  expect(blocks.openTransactions).toHaveLength(1);
  expect(blocks.index.size).toBe(1_000 + 1);
  expect(blocks.firstAvailable).toBe(blocks.openSlot - 1_000n);
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

test('from the start the validator is current at every commitment, and its votes continue from there', async () => {
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
