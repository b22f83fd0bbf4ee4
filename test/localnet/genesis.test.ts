import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { newLedger } from './new-ledger.ts';
import { fundedWallet, landed, memo, sendNow, signed } from './transactions.ts';

const SYSVARS = [
  ['C1ock11111111111111111111111111111111', 40],
  ['EpochRewards1111111111111111111111111', 81],
  ['EpochSchedu1e111111111111111111111111', 33],
  ['LastRestartS1ot1111111111111111111111', 8],
  ['RecentB1ockHashes11111111111111111111', 6_008],
  ['Rent111111111111111111111111111111111', 17],
  ['S1otHashes111111111111111111111111111', 20_488],
  ['S1otHistory11111111111111111111111111', 131_097],
  ['StakeHistory1111111111111111111111111', 16_392],
] as const;

test.each(SYSVARS)("the sysvar %s has the size of a validator's and is rent-exempt", async (name, size) => {
  const { call } = newLedger();
  const { value } = await call('getAccountInfo', `Sysvar${name}`, {
    encoding: 'base64',
    commitment: 'processed',
  });
  expect(value).toMatchObject({
    ...{ space: BigInt(size), lamports: 5_080n * (128n + BigInt(size)), rentEpoch: 2n ** 64n - 1n },
    ...{ owner: 'Sysvar1111111111111111111111111111111111111', executable: false },
  });
});

test('every genesis account is rent-exempt but the built-in programs, which have one lamport', async () => {
  const { ledger } = newLedger({ lamportsPerByte: 6_960 });
  const poor = [...ledger.accounts.all(0n)].filter(
    ({ account }) => account.lamports < 6_960n * BigInt(128 + account.data.length),
  );
  expect(new Set(poor.map(({ account }) => `${account.owner} ${account.lamports}`))).toEqual(
    new Set(['NativeLoader1111111111111111111111111111111 1']),
  );
});

test('the stake config is that of a validator', async () => {
  const { call } = newLedger({ lamportsPerByte: 6_960 });
  const { value } = await call('getAccountInfo', 'StakeConfig11111111111111111111111111111111', {
    encoding: 'base64',
  });
  expect(value).toMatchObject({ data: ['AAAAAAAAANA/DA==', 'base64'], lamports: 960_480n });
});

test('feature gates are active since slot 0; they can be deactivated and activated', async () => {
  const gate = 'txv1aq4pp281K9um3tnPgkfX8UqtFT6wcVW3hNezGLL';
  const other = 'A1pengvuM6JEcyNuTnMqepBKhwHE3N6PmUrdATGawhJS';
  const state = { encoding: 'base64', commitment: 'processed' } as const;
  const asShipped = newLedger();
  expect((await asShipped.call('getAccountInfo', gate, state)).value).toMatchObject({
    ...{ data: ['AQAAAAAAAAAA', 'base64'], owner: 'Feature111111111111111111111111111111111111' },
  });
  expect((await asShipped.call('getAccountInfo', other, state)).value).toBeNull();
  const changed = newLedger({ features: { activated: [other], deactivated: [gate] } });
  expect((await changed.call('getAccountInfo', gate, state)).value).toBeNull();
  expect((await changed.call('getAccountInfo', other, state)).value?.lamports).toBe(5_080n * (128n + 9n));
  const wallet = await fundedWallet(changed);
  const signature = await sendNow(changed, signed(changed, [wallet], memo('still runs')));
  expect(await landed(changed, signature)).toMatchObject({ err: null });
});

test('a feature gate that the runtime does not know cannot be activated', () => {
  const activated = [Keypair.generate().publicKey.toBase58()];
  expect(() => newLedger({ features: { activated, deactivated: [] } })).toThrow(
    `the feature gate ${activated[0]}`,
  );
});

test('a compute unit limit holds for every transaction', async () => {
  const test = newLedger({ computeUnitLimit: 200n });
  const wallet = Keypair.generate();
  await test.call('requestAirdrop', wallet.publicKey.toBase58(), 1_000_000_000n);
  const signature = await sendNow(test, signed(test, [wallet], memo('more units than there are')));
  expect(await landed(test, signature)).toMatchObject({
    err: {
      InstructionError: [0, expect.stringMatching(/ComputationalBudgetExceeded|ProgramFailedToComplete/)],
    },
  });
});
