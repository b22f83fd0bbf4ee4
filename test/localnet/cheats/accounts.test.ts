import { Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import {
  MEMO_V3_PROGRAM,
  STAKE_PROGRAM,
  SYSTEM_PROGRAM,
} from '../../../src/localnet/addresses/program-ids.ts';
import { serveLedger } from '../subscriptions/serve-ledger.ts';
import { fundedWallet, landed, sendNow, signed, SOL, transfer } from '../transactions.ts';
import { type CheatLedger, newCheatLedger } from './new-cheat-ledger.ts';

const newAddress = (): string => Keypair.generate().publicKey.toBase58();
const PROCESSED = { commitment: 'processed', encoding: 'base64' } as const;
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';

test('an account is set, member by member, from processed to finalized', async () => {
  const { call, cheat, tick } = newCheatLedger();
  const [address, owner] = [newAddress(), newAddress()];
  expect(await cheat('localnet_setAccount', address, { lamports: 5n })).toBeNull();
  await cheat('localnet_setAccount', address, { data: 'aGVsbG8=', owner });
  const shown = { lamports: 5n, data: ['aGVsbG8=', 'base64'], owner, executable: false, space: 5n };
  expect((await call('getAccountInfo', address, PROCESSED)).value).toMatchObject(shown);
  expect((await call('getAccountInfo', address, { commitment: 'confirmed' })).value).toBeNull();
  expect(await call('getProgramAccounts', owner, PROCESSED)).toMatchObject([{ pubkey: address }]);
  tick(32);
  expect((await call('getAccountInfo', address, { encoding: 'base64' })).value).toMatchObject(shown);
  await cheat('localnet_setAccount', address, { lamports: 0 });
  expect((await call('getAccountInfo', address, PROCESSED)).value).toBeNull();
});

test('transactions meet what was set', async () => {
  const test = newCheatLedger();
  const wallet = Keypair.generate();
  await test.cheat('localnet_setAccount', wallet.publicKey.toBase58(), { lamports: 3n * SOL });
  const signature = await sendNow(
    test,
    signed(test, [wallet], transfer(wallet, new PublicKey(newAddress()), SOL)),
  );
  expect(await landed(test, signature)).toMatchObject({ err: null, preBalances: [3n * SOL, 0n, 1n] });
});

test('subscribers hear of it when its slot closes', async () => {
  const { ledger, tick, connect } = await serveLedger({}, { cheatCodes: true });
  const client = await connect();
  const address = newAddress();
  const id = await client.subscribe('accountSubscribe', address, { commitment: 'processed' });
  await client.call('localnet_setAccount', address, { lamports: 7 });
  const slot = Number(ledger.blocks.openSlot);
  tick();
  expect(await client.notificationsOf(id)).toMatchObject([{ context: { slot }, value: { lamports: 7 } }]);
});

test('a reset account is what it was at the start', async () => {
  const { call, cheat, ledger } = newCheatLedger();
  const funded = ledger.genesis.faucet.address;
  const before = (await call('getAccountInfo', funded, PROCESSED)).value;
  const fresh = newAddress();
  for (const address of [funded, fresh])
    await cheat('localnet_setAccount', address, { lamports: 9n, data: 'AAA=' });
  for (const address of [funded, fresh]) await cheat('localnet_resetAccount', address);
  expect((await call('getAccountInfo', funded, PROCESSED)).value).toEqual(before);
  expect((await call('getAccountInfo', fresh, PROCESSED)).value).toBeNull();
});

test('what cannot be set is refused by name, and nothing changes', async () => {
  const { call, cheat, cheatRefusal, ledger } = newCheatLedger();
  expect(await cheatRefusal('localnet_setAccount', CLOCK, { lamports: 1 })).toBe(
    `Invalid param: ${CLOCK} is kept by the ledger itself and cannot be set`,
  );
  expect(await cheatRefusal('localnet_setAccount', newAddress(), { data: '!' })).toMatch(
    /data is not base64/,
  );
  const address = newAddress();
  await cheat('localnet_setAccount', address, { lamports: 5n });
  const program = {
    owner: 'BPFLoader2111111111111111111111111111111111',
    data: 'aGVsbG8=',
    executable: true,
  };
  expect(await cheatRefusal('localnet_setAccount', address, program)).toMatch(
    /the runtime refuses the account/,
  );
  expect((await call('getAccountInfo', address, PROCESSED)).value).toMatchObject({
    executable: false,
    space: 0n,
  });
  expect(ledger.runtime.read(address)).toMatchObject({ executable: false, lamports: 5n });
});

test('what the ledger lives on can be set and not removed', async () => {
  const { call, cheat, cheatRefusal, ledger } = newCheatLedger({ votes: true });
  const { faucet, identity, voteAddress } = ledger.genesis;
  for (const address of [SYSTEM_PROGRAM, STAKE_PROGRAM, faucet.address, identity.address, voteAddress]) {
    expect(await cheatRefusal('localnet_setAccount', address, { lamports: 0 })).toBe(
      `Invalid param: ${address} is kept by the ledger itself and cannot be removed`,
    );
    expect((await call('getAccountInfo', address, PROCESSED)).value).not.toBeNull();
  }
  await cheat('localnet_setAccount', faucet.address, { lamports: 7n });
  expect((await call('getBalance', faucet.address, { commitment: 'processed' })).value).toBe(7n);
});

test('all accounts together have the lamports of 64 bits; one more is refused with the most that fits', async () => {
  const { call, cheat, cheatRefusal } = newCheatLedger();
  const [address, other] = [newAddress(), newAddress()];
  await cheat('localnet_setAccount', address, { lamports: 5n });
  const { value } = await call('getSupply', { commitment: 'processed' });
  const most = 2n ** 64n - 1n - BigInt(value.total) + 5n;
  expect(await cheatRefusal('localnet_setAccount', address, { lamports: most + 1n })).toBe(
    `Invalid param: ${address} cannot have ${most + 1n} lamports: with the other accounts' lamports the maximum is ${most}`,
  );
  await cheat('localnet_setAccount', address, { lamports: most });
  expect(await cheatRefusal('localnet_setAccount', other, { lamports: 1 })).toMatch(/the maximum is 0$/);
  await cheat('localnet_setAccount', address, { lamports: most - 1n });
  await cheat('localnet_setAccount', other, { lamports: 1 });
  expect((await call('getSupply', { commitment: 'processed' })).value.total).toBe(2n ** 64n - 1n);
});

test('an account with the owner of sysvars, which is none, can be set again', async () => {
  const { call, cheat } = newCheatLedger();
  const address = newAddress();
  await cheat('localnet_setAccount', address, {
    lamports: 5n,
    owner: 'Sysvar1111111111111111111111111111111111111',
  });
  await cheat('localnet_setAccount', address, { lamports: 6n });
  expect((await call('getBalance', address, { commitment: 'processed' })).value).toBe(6n);
});

test('code is put at an address, runs, and can be upgraded by the set authority', async () => {
  const test = newCheatLedger();
  const [program, authority] = [newAddress(), newAddress()];
  const code = Buffer.from(test.ledger.runtime.read(MEMO_V3_PROGRAM)?.data ?? []).toString('base64');
  await test.cheat('localnet_setProgram', program, code);
  expect(await callProgram(test, program)).toMatchObject({ err: null });
  expect(await authorityOf(test, program)).toBeNull();
  await test.cheat('localnet_setProgramAuthority', program, authority);
  expect(await authorityOf(test, program)).toBe(authority);
  await test.cheat('localnet_setProgram', program, code);
  expect(await authorityOf(test, program)).toBe(authority);
  await test.cheat('localnet_setProgram', program, code, 'none');
  expect(await authorityOf(test, program)).toBeNull();
  expect(await test.cheatRefusal('localnet_setProgram', newAddress(), 'f0VMRgAA')).toMatch(
    /no program that the runtime/,
  );
  expect(await test.cheatRefusal('localnet_setProgramAuthority', newAddress(), 'none')).toMatch(
    /is no program/,
  );
});

async function callProgram(test: CheatLedger, program: string) {
  const wallet = await fundedWallet(test);
  const call = new TransactionInstruction({
    programId: new PublicKey(program),
    keys: [],
    data: Buffer.from('hi'),
  });
  return await landed(test, await sendNow(test, signed(test, [wallet], call)));
}

type ParsedInfo<T> = { readonly data: { readonly parsed: { readonly info: T } } };

async function authorityOf({ call }: CheatLedger, program: string): Promise<unknown> {
  const { value } = await call('getAccountInfo', program, {
    encoding: 'jsonParsed',
    commitment: 'processed',
  });
  const { programData } = (value as unknown as ParsedInfo<{ programData: string }>).data.parsed.info;
  const code = await call('getAccountInfo', programData, { encoding: 'jsonParsed', commitment: 'processed' });
  return (code.value as unknown as ParsedInfo<{ authority: unknown }>).data.parsed.info.authority;
}
