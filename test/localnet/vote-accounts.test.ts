import { expect, test } from 'vitest';
import { newLedger } from './new-ledger.ts';

test('before its first votes are behind it, the validator is delinquent and has voted for slot 0', async () => {
  const { call, tick } = newLedger();
  expect(await call('getVoteAccounts')).toMatchObject({
    current: [],
    delinquent: [{ lastVote: 0n, rootSlot: 0n }],
  });
  tick(2);
  expect(await call('getVoteAccounts')).toMatchObject({ current: [{ lastVote: 1n }], delinquent: [] });
});

test('the vote account shows no votes at genesis', async () => {
  const { ledger, call } = newLedger();
  const { value } = await call('getAccountInfo', ledger.genesis.voteAddress, { encoding: 'jsonParsed' });
  expect(value?.data).toMatchObject({
    parsed: { info: { votes: [], rootSlot: null, lastTimestamp: { slot: 0n } } },
  });
});

test('a vote counts as current while it lags less than the distance asked for', async () => {
  const { call, tick } = newLedger();
  tick(200);
  const currentAt = async (delinquentSlotDistance: number) =>
    (await call('getVoteAccounts', { delinquentSlotDistance })).current.length;
  expect([await currentAt(0), await currentAt(1), await currentAt(2), await currentAt(128)]).toEqual([
    0, 0, 1, 1,
  ]);
});
