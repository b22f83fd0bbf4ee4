import { Keypair, PublicKey, SystemProgram } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { fundedWallet, sendNow, signed, SOL, transfer } from '../transactions.ts';
import { type ServedLedger, serveLedger } from './serve-ledger.ts';

const SYSTEM = SystemProgram.programId;
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

/** Opens an account with a space for an owner; its address. */
async function open(served: ServedLedger, payer: Keypair, space: number, owner = SYSTEM): Promise<string> {
  const account = Keypair.generate();
  const instruction = SystemProgram.createAccount({
    fromPubkey: payer.publicKey,
    newAccountPubkey: account.publicKey,
    lamports: Number(served.ledger.runtime.rentExemption(BigInt(space))),
    space,
    programId: owner,
  });
  await sendNow(served, signed(served, [payer, account], instruction));
  return account.publicKey.toBase58();
}

test('tells each account of the program that was written in a slot, once, at the level', async () => {
  const served = await serveLedger();
  const wallet = await fundedWallet(served);
  served.tick();
  const client = await served.connect();
  const config = { encoding: 'base64', filters: [{ dataSize: 7 }] };
  const confirmed = await client.subscribe('programSubscribe', SYSTEM.toBase58(), {
    ...config,
    commitment: 'confirmed',
  });
  const finalized = await client.subscribe('programSubscribe', SYSTEM.toBase58(), config);
  const first = await open(served, wallet, 7);
  await open(served, wallet, 8);
  const second = await open(served, wallet, 7);
  served.tick();
  const shown = (pubkey: string) => ({
    context: { slot: 33 },
    value: { pubkey, account: { data: ['AAAAAAAAAA==', 'base64'], owner: SYSTEM.toBase58(), space: 7 } },
  });
  expect(await client.notificationsOf(confirmed)).toMatchObject([shown(first), shown(second)]);
  served.tick(30);
  expect(await client.notificationsOf(finalized)).toEqual([]);
  served.tick();
  expect(await client.notificationsOf(finalized)).toEqual(await client.notificationsOf(confirmed));
});

test('dataSlice cuts, and an account that is gone or changes its owner is not sent to subscribers of the old owner', async () => {
  const served = await serveLedger();
  const wallet = await fundedWallet(served, SOL);
  const client = await served.connect();
  const id = await client.subscribe('programSubscribe', SYSTEM.toBase58(), {
    commitment: 'confirmed',
    encoding: 'base64',
    dataSlice: { offset: 0, length: 2 },
  });
  await open(served, wallet, 5);
  served.tick();
  const sizes = async () =>
    ((await client.notificationsOf(id)) as { value: { account: { data: [string] } } }[])
      .map(({ value }) => Buffer.from(value.account.data[0], 'base64').length)
      .sort();
  expect(await sizes()).toEqual([0, 0, 2]);
  const { lamports = 0n } = served.ledger.accounts.read(wallet.publicKey.toBase58(), 33n) ?? {};
  const before = (await client.notificationsOf(id)).length;
  await sendNow(
    served,
    signed(served, [wallet], transfer(wallet, new Keypair().publicKey, lamports - 5_000n)),
  );
  served.tick();
  const told = (await client.notificationsOf(id)).slice(before) as { value: { pubkey: string } }[];
  expect(told.map(({ value }) => value.pubkey)).not.toContain(wallet.publicKey.toBase58());
  expect(told).toHaveLength(1);
});

test('of a token program jsonParsed shows what can be parsed only', async () => {
  const served = await serveLedger();
  const wallet = await fundedWallet(served);
  const client = await served.connect();
  const program = Keypair.generate().publicKey;
  const options = { commitment: 'confirmed', encoding: 'jsonParsed' };
  const tokens = await client.subscribe('programSubscribe', TOKEN, options);
  const others = await client.subscribe('programSubscribe', program.toBase58(), options);
  await open(served, wallet, 3, new PublicKey(TOKEN));
  const unparsed = await open(served, wallet, 3, program);
  served.tick();
  expect(await client.notificationsOf(tokens)).toEqual([]);
  expect(await client.notificationsOf(others)).toMatchObject([{ value: { pubkey: unparsed } }]);
});

test('filters are refused as getProgramAccounts refuses them', async () => {
  const client = await (await serveLedger()).connect();
  const size = { dataSize: 1 };
  expect(
    await client.refusal('programSubscribe', TOKEN, { filters: [size, size, size, size, size] }),
  ).toMatchObject({
    code: -32602,
  });
  const filters = [{ memcmp: { offset: 0, bytes: '0' } }];
  const overSocket = await client.refusal('programSubscribe', TOKEN, { filters });
  expect(overSocket).toEqual(await client.refusal('getProgramAccounts', TOKEN, { filters }));
  expect(overSocket.code).toBe(-32602);
});
