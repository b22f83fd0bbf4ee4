import {
  createAssociatedTokenAccountInstruction,
  createCreateNativeMintInstruction,
  createSyncNativeInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  NATIVE_MINT_2022,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { newLedger } from './new-ledger.ts';
import { fundedWallet, landed, memo, sendNow, signed, transfer } from './transactions.ts';

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
    space: BigInt(size),
    lamports: 5_080n * (128n + BigInt(size)),
    rentEpoch: 2n ** 64n - 1n,
    owner: 'Sysvar1111111111111111111111111111111111111',
    executable: false,
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

test('the mint of wrapped SOL is that of a validator, and Token-2022 has none', async () => {
  const { call } = newLedger();
  const state = { encoding: 'jsonParsed', commitment: 'processed' } as const;
  const { value } = await call(
    'getMultipleAccounts',
    [NATIVE_MINT.toBase58(), NATIVE_MINT_2022.toBase58()],
    state,
  );
  const info = { decimals: 9, freezeAuthority: null, isInitialized: true, mintAuthority: null, supply: '0' };
  expect(value).toMatchObject([
    {
      lamports: 1_000_000_000n,
      rentEpoch: 1n,
      owner: TOKEN_PROGRAM_ID.toBase58(),
      data: { parsed: { info } },
    },
    null,
  ]);
});

test('the mint of wrapped SOL of Token-2022 can be created, and wrap SOL', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const program = TOKEN_2022_PROGRAM_ID;
  const account = getAssociatedTokenAddressSync(NATIVE_MINT_2022, wallet.publicKey, false, program);
  const signature = await sendNow(
    test,
    signed(
      test,
      [wallet],
      createCreateNativeMintInstruction(wallet.publicKey),
      createAssociatedTokenAccountInstruction(
        wallet.publicKey,
        account,
        wallet.publicKey,
        NATIVE_MINT_2022,
        program,
      ),
      transfer(wallet, account, 5_000n),
      createSyncNativeInstruction(account, program),
    ),
  );
  expect(await landed(test, signature)).toMatchObject({ err: null });
  const state = { commitment: 'processed' } as const;
  expect((await test.call('getTokenAccountBalance', account.toBase58(), state)).value.amount).toBe('5000');
});

test('the stake of the ledger has no lockup', async () => {
  const { call, ledger } = newLedger();
  const { value } = await call('getAccountInfo', ledger.genesis.stakeAddress, { encoding: 'jsonParsed' });
  const lockup = { unixTimestamp: 0n, epoch: 0n, custodian: '11111111111111111111111111111111' };
  expect(value?.data).toMatchObject({ parsed: { info: { meta: { lockup } } } });
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
    data: ['AQAAAAAAAAAA', 'base64'],
    owner: 'Feature111111111111111111111111111111111111',
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
