import { Keypair, type TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { instructionOf, signVersion1 } from '../../../src/devkit/contract/scenario/version-1.ts';
import { knownFeatures } from '../../../src/localnet/bank/runtime.ts';
import { encodeBase58 } from '../../../src/localnet/bytes/base58.ts';
import type { LedgerOptions } from '../../../src/localnet/ledger.ts';
import { configProgram } from '../../../src/localnet/programs/config-program.ts';
import { type CheatLedger, newCheatLedger } from '../cheats/new-cheat-ledger.ts';
import { forked, sourceNode } from '../fork/source-node.ts';
import { fundedWallet, landed, sendNow, signed } from '../transactions.ts';
import { keyOf } from '../version-1-wire.ts';
import { configData, type ConfigKey, createConfig, store } from './config-store.ts';

const SPACE = 1_300;

/** Creates a config account, and a function that stores a text in it. */
async function withConfig(test: CheatLedger) {
  const wallet = await fundedWallet(test);
  const config = Keypair.generate();
  const account = config.publicKey.toBase58();
  const land = async (...instructions: readonly TransactionInstruction[]): Promise<unknown> => {
    const signature = await sendNow(test, signed(test, [wallet, config], ...instructions));
    return (await landed(test, signature))?.err;
  };
  expect(await land(createConfig(wallet, config, SPACE))).toBeNull();
  const put = (text: string): Promise<unknown> => land(store(config.publicKey, true, [], Buffer.from(text)));
  const read = (): string => {
    const { data } = test.ledger.accounts.current(account) ?? {};
    return Buffer.from(data ?? [])
      .toString('latin1')
      .replaceAll('\0', '');
  };
  return { wallet, config, account, put, read };
}

const ALL = knownFeatures().map(encodeBase58);

test.each([
  ['all that the runtime knows', { activated: ALL, deactivated: [] }],
  ['none', { activated: [], deactivated: ALL }],
])('it runs whatever feature gates are active: %s', async (_, features) => {
  const { put, read } = await withConfig(newCheatLedger({ features }));
  expect(await put('stored')).toBeNull();
  expect(read()).toBe('stored');
});

test('a restored snapshot has what was stored, and it is called there again', async () => {
  const test = newCheatLedger();
  const { put, read } = await withConfig(test);
  expect(await put('before')).toBeNull();
  test.tick();
  await test.cheat('localnet_snapshot', 'taken');
  expect(await put('after')).toBeNull();
  test.tick();
  await test.cheat('localnet_restore', 'taken');
  expect(read()).toBe('before');
  expect(await put('again')).toBeNull();
  expect(read()).toBe('againe');
});

test('a program that is given at the start takes its place', async () => {
  const { ledger } = newCheatLedger();
  const own = configProgram(ledger.runtime);
  const accounts = own.map(({ address, account }) => ({
    address,
    account: { ...account, lamports: account.lamports + 7n },
    origin: '--account',
  }));
  const test = newCheatLedger({ additions: { accounts } } satisfies Partial<LedgerOptions>);
  for (const { address, account } of accounts)
    expect(test.ledger.accounts.current(address)).toMatchObject({ lamports: account.lamports });
  const { put } = await withConfig(test);
  expect(await put('stored')).toBeNull();
});

test('a fork takes that of its network', async () => {
  const source = await sourceNode();
  const [code] = configProgram(source.ledger.runtime);
  if (code === undefined) throw new Error('the program has code');
  await source.cheat('localnet_setAccount', code.address, { lamports: 123_456_789 });
  source.tick(40);
  const fork = await forked({ url: source.url });
  const { put, read } = await withConfig(fork);
  expect(await put('stored')).toBeNull();
  expect(read()).toBe('stored');
  const { value } = await fork.call('getAccountInfo', code.address, { encoding: 'base64' });
  expect(value?.lamports).toBe(123_456_789n);
});

test.each([
  [37, null],
  [38, { InstructionError: [0, 'InvalidInstructionData'] }],
])('a list of %i keys, for which a transaction of version 1 has room, gives %o', async (count, error) => {
  const test = newCheatLedger();
  const { wallet, config, account } = await withConfig(test);
  const stored: ConfigKey = [wallet.publicKey, true];
  const held = Buffer.concat([configData([stored]), Buffer.alloc(SPACE)]);
  await test.cheat('localnet_setAccount', account, { data: held.toString('base64') });
  const others = Array.from({ length: count - 1 }, (_, index): ConfigKey => [keyOf(index), false]);
  const limits = { computeUnitLimit: 200_000, loadedAccountsDataSizeLimit: 1_048_576 };
  const { ledger } = test;
  const { text } = await signVersion1(wallet, ledger.blocks.blockhash(ledger.blocks.openSlot - 1n), {
    limits,
    instructions: [instructionOf(store(config.publicKey, false, [stored, ...others]))],
  });
  expect((await landed(test, await sendNow(test, text)))?.err).toEqual(error);
});

test('a trace names its calls', async () => {
  const test = newCheatLedger();
  const wallet = await fundedWallet(test);
  const config = Keypair.generate();
  const keys: readonly ConfigKey[] = [[wallet.publicKey, true]];
  const instructions = [
    createConfig(wallet, config, SPACE),
    store(config.publicKey, true, keys, Buffer.from('text')),
  ];
  const signature = await sendNow(test, signed(test, [wallet, config], ...instructions));
  const { calls } = (await test.cheat('localnet_trace', signature)) ?? {};
  expect(calls?.[1]).toMatchObject({
    program: 'config',
    instruction: 'store',
    status: 'succeeded',
    info: { keys: [{ pubkey: wallet.publicKey.toBase58(), signer: true }], dataLength: 4 },
  });
});
