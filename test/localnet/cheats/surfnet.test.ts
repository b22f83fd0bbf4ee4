import { Keypair } from '@solana/web3.js';
import { NATIVE_MINT, TOKEN_2022_PROGRAM_ID } from '@solana/spl-token';
import { expect, test } from 'vitest';
import { newCheatLedger } from './new-cheat-ledger.ts';

const PROCESSED = { commitment: 'processed', encoding: 'base64' } as const;
const newAddress = (): string => Keypair.generate().publicKey.toBase58();

test('an account is set with data in hexadecimal digits, and reset with those that belong to it', async () => {
  const { call, cheat, cheatRefusal, ledger } = newCheatLedger();
  const [address, owned] = [newAddress(), newAddress()];
  const answer = await cheat('surfnet_setAccount', address, {
    lamports: 5n,
    data: '68656c6c6f',
    rentEpoch: 0,
  });
  expect(answer).toMatchObject({ context: { slot: ledger.blocks.openSlot }, value: null });
  await cheat('surfnet_setAccount', owned, { lamports: 7n, owner: address });
  expect((await call('getAccountInfo', address, PROCESSED)).value?.data).toEqual(['aGVsbG8=', 'base64']);
  for (const data of ['0x68', '6', 'zz'])
    expect(await cheatRefusal('surfnet_setAccount', address, { data })).toMatch(/hexadecimal/);
  await cheat('surfnet_resetAccount', address, { includeOwnedAccounts: true });
  expect((await call('getMultipleAccounts', [address, owned], PROCESSED)).value).toEqual([null, null]);
});

test('a token account is set, and the text null takes its delegate away', async () => {
  const { call, cheat, cheatRefusal } = newCheatLedger();
  const [owner, delegate] = [newAddress(), newAddress()];
  const mint = NATIVE_MINT.toBase58();
  await cheat('surfnet_setTokenAccount', owner, mint, { amount: 9, delegate, delegatedAmount: 4 });
  const held = async () => await call('getTokenAccountsByDelegate', delegate, { mint }, PROCESSED);
  const [account] = (await held()).value;
  expect((await call('getTokenAccountBalance', account?.pubkey ?? '', PROCESSED)).value.amount).toBe('9');
  await cheat('surfnet_setTokenAccount', owner, mint, { delegate: 'null' });
  expect((await held()).value).toEqual([]);
  const other = TOKEN_2022_PROGRAM_ID.toBase58();
  expect(await cheatRefusal('surfnet_setTokenAccount', owner, mint, {}, other)).toMatch(
    /the mint belongs to Tokenkeg/,
  );
});

test('time advances by an hour, to a slot, an epoch, or milliseconds; the clock shows whole slots', async () => {
  const { call, cheat, ledger } = newCheatLedger({ slotsPerEpoch: 100_000 });
  const time = () => ledger.blocks.time(ledger.blocks.openSlot);
  const before = time();
  const first = await cheat('surfnet_timeTravel');
  expect([time() - before, first.absoluteSlot]).toEqual([3_600n, ledger.blocks.openSlot]);
  expect(await cheat('surfnet_timeTravel', { absoluteSlot: 50_000 })).toMatchObject({
    epoch: 0n,
    slotIndex: 50_000n,
  });
  expect(await cheat('surfnet_timeTravel', { absoluteEpoch: 3 })).toMatchObject({
    absoluteSlot: 300_000n,
    slotIndex: 0n,
  });
  const wanted = (time() + 100n) * 1_000n;
  await cheat('surfnet_timeTravel', { absoluteTimestamp: wanted });
  expect(time()).toBe(wanted / 1_000n);
  const clock = await call('getAccountInfo', 'SysvarC1ock11111111111111111111111111111111', {
    ...PROCESSED,
    encoding: 'jsonParsed',
  });
  expect(clock.value?.data).toMatchObject({ parsed: { info: { slot: ledger.blocks.openSlot } } });
});

test('the clock is paused and resumed', async () => {
  const { cheat, ledger } = newCheatLedger();
  expect(await cheat('surfnet_pauseClock')).toMatchObject({ absoluteSlot: ledger.blocks.openSlot });
  expect(ledger.clock.isStopped).toBe(true);
  expect(await cheat('surfnet_resumeClock')).toMatchObject({ absoluteSlot: ledger.blocks.openSlot });
  expect(ledger.clock.isStopped).toBe(false);
});
