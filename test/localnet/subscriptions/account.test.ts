import { base58 } from '@scure/base';
import { Keypair, SystemProgram } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { fundedWallet, sendNow, signed, SOL, transfer } from '../transactions.ts';
import { serveLedger } from './serve-ledger.ts';

const address = Keypair.generate().publicKey.toBase58();
const shown = (lamports: number, data: unknown = '') => ({
  lamports,
  data,
  owner: SystemProgram.programId.toBase58(),
  executable: false,
  rentEpoch: 2n ** 64n - 1n,
  space: 0,
});

test('tells an account once for a slot, at each level when that slot reaches it, as it was then', async () => {
  const { call, tick, connect } = await serveLedger();
  const client = await connect();
  const [processed, confirmed, finalized] = [
    await client.subscribe('accountSubscribe', address, { commitment: 'processed' }),
    await client.subscribe('accountSubscribe', address, { commitment: 'confirmed' }),
    await client.subscribe('accountSubscribe', address),
  ];
  await call('requestAirdrop', address, SOL);
  await call('requestAirdrop', address, SOL);
  expect(await client.notificationsOf(processed)).toEqual([]);
  tick();
  const first = { context: { slot: 32 }, value: shown(2e9) };
  expect([await client.notificationsOf(processed), await client.notificationsOf(confirmed)]).toEqual([
    [first],
    [first],
  ]);
  await call('requestAirdrop', address, SOL);
  tick(30);
  expect(await client.notificationsOf(finalized)).toEqual([]);
  tick();
  expect(await client.notificationsOf(finalized)).toEqual([first]);
  tick();
  const second = { context: { slot: 33 }, value: shown(3e9) };
  expect(await client.notificationsOf(processed)).toEqual([first, second]);
  expect(await client.notificationsOf(confirmed)).toEqual([first, second]);
  expect(await client.notificationsOf(finalized)).toEqual([first, second]);
});

test('tells nothing of the state at the time of the call, and nothing after the end', async () => {
  const { call, tick, connect } = await serveLedger();
  await call('requestAirdrop', address, SOL);
  tick();
  const client = await connect();
  const id = await client.subscribe('accountSubscribe', address, { commitment: 'confirmed' });
  tick(2);
  expect(await client.notificationsOf(id)).toEqual([]);
  expect(await client.call('accountUnsubscribe', id)).toBe(true);
  await call('requestAirdrop', address, SOL);
  tick();
  expect(await client.notificationsOf(id)).toEqual([]);
});

test('an account that was emptied has no lamports and belongs to the system program', async () => {
  const served = await serveLedger();
  const wallet = await fundedWallet(served, SOL);
  const client = await served.connect();
  const id = await client.subscribe('accountSubscribe', wallet.publicKey.toBase58(), {
    commitment: 'confirmed',
    encoding: 'base64',
  });
  served.tick();
  await sendNow(
    served,
    signed(served, [wallet], transfer(wallet, Keypair.generate().publicKey, SOL - 5_000n)),
  );
  served.tick();
  expect(await client.notificationsOf(id)).toEqual([
    { context: { slot: 32 }, value: shown(1e9, ['', 'base64']) },
    { context: { slot: 33 }, value: shown(0, ['', 'base64']) },
  ]);
});

test('sysvars are told with every slot, parsed if that is asked for', async () => {
  const { tick, connect } = await serveLedger();
  const client = await connect();
  const clock = 'SysvarC1ock11111111111111111111111111111111';
  const id = await client.subscribe('accountSubscribe', clock, {
    commitment: 'confirmed',
    encoding: 'jsonParsed',
  });
  tick(2);
  expect(await client.notificationsOf(id)).toMatchObject([
    { context: { slot: 32 }, value: { data: { parsed: { type: 'clock', info: { slot: 32 } } } } },
    { context: { slot: 33 }, value: { data: { parsed: { type: 'clock', info: { slot: 33 } } } } },
  ]);
});

test('data too large for base-58 is replaced by a text that says so, a slice of it is not', async () => {
  const { tick, connect } = await serveLedger();
  const client = await connect();
  const hashes = 'SysvarS1otHashes111111111111111111111111111';
  const whole = { commitment: 'confirmed' };
  const slice = { ...whole, dataSlice: { offset: 0, length: 8 }, encoding: 'base58' };
  const [binary, inBase58, sliced] = [
    await client.subscribe('accountSubscribe', hashes, whole),
    await client.subscribe('accountSubscribe', hashes, { ...whole, encoding: 'base58' }),
    await client.subscribe('accountSubscribe', hashes, slice),
  ];
  tick();
  const text = 'error: data too large for bs58 encoding';
  expect(await client.notificationsOf(binary)).toMatchObject([{ value: { data: text, space: 20_488 } }]);
  expect(await client.notificationsOf(inBase58)).toMatchObject([
    { value: { data: [text, 'base58'], space: 20_488 } },
  ]);
  const [{ value }] = (await client.notificationsOf(sliced)) as [
    { value: { data: [string, string]; space: number } },
  ];
  expect([base58.decode(value.data[0]).length, value.space]).toEqual([8, 20_488]);
});

test('params are refused in the words of a node', async () => {
  const client = await (await serveLedger()).connect();
  const invalid = { code: -32602, message: 'Invalid Request: Invalid pubkey provided' };
  expect(await client.refusal('accountSubscribe', 'abc')).toMatchObject(invalid);
  expect(await client.refusal('accountSubscribe')).toMatchObject({
    code: -32602,
    message: '`params` should have at least 1 argument(s)',
  });
});
