import { Keypair, type TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { newCheatLedger } from '../cheats/new-cheat-ledger.ts';
import { fundedWallet, landed, sendNow, signed } from '../transactions.ts';
import { configData, type ConfigKey, createConfig, signer, store, storeBytes } from './config-store.ts';

const PROGRAM = 'Config1111111111111111111111111111111111111';
const CODE = 'CHKQ74qcDUJbwc4snCEZXL8tV1WQvXqioArLGgUHPZq9';
const SPACE = 300;
const MISSING = 'MissingRequiredSignature';
const [one, two, three] = [Keypair.generate(), Keypair.generate(), Keypair.generate()];
const signing = (...keys: readonly Keypair[]): ConfigKey[] => keys.map(({ publicKey }) => [publicKey, true]);

/** A ledger with an empty account of the config program. */
async function scene() {
  const test = newCheatLedger();
  const wallet = await fundedWallet(test);
  const config = Keypair.generate();
  const send = async (signers: readonly Keypair[], ...instructions: readonly TransactionInstruction[]) => {
    const signature = await sendNow(test, signed(test, [wallet, ...signers], ...instructions));
    return (await landed(test, signature))?.err;
  };
  const read = (): Buffer =>
    Buffer.from(test.ledger.accounts.current(config.publicKey.toBase58())?.data ?? []);
  /** The error of one instruction; undefined: none. */
  const refusal = async (instruction: TransactionInstruction, ...signers: readonly Keypair[]) => {
    const err = await send(signers, instruction);
    test.tick();
    if (err === null || typeof err !== 'object' || !('InstructionError' in err)) return err ?? undefined;
    return err.InstructionError[1];
  };
  expect(await send([config], createConfig(wallet, config, SPACE))).toBeNull();
  return { test, wallet, config, account: config.publicKey, send, read, refusal };
}

/** One that has been written with these keys. */
async function written(keys: readonly ConfigKey[], ...signers: readonly Keypair[]) {
  const made = await scene();
  const first = store(made.account, true, keys, Buffer.from('first'));
  expect(await made.send([made.config, ...signers], first)).toBeNull();
  made.test.tick();
  return made;
}

const padded = (data: Buffer): Buffer => Buffer.concat([data, Buffer.alloc(SPACE - data.length)]);

test('the program and its code are accounts like those of a test validator', async () => {
  const { call } = newCheatLedger();
  const { value } = await call('getMultipleAccounts', [PROGRAM, CODE], { encoding: 'jsonParsed' });
  const loaded = { owner: 'BPFLoaderUpgradeab1e11111111111111111111111', rentEpoch: 2n ** 64n - 1n };
  expect(value).toMatchObject([
    { ...loaded, executable: true, space: 36n, lamports: 5_080n * (128n + 36n) },
    { ...loaded, executable: false, lamports: 5_080n * (128n + (value[1]?.space ?? 0n)) },
  ]);
  expect(value).toMatchObject([
    { data: { program: 'bpf-upgradeable-loader', parsed: { type: 'program', info: { programData: CODE } } } },
    {
      data: {
        program: 'bpf-upgradeable-loader',
        parsed: { type: 'programData', info: { slot: 0n, authority: '11111111111111111111111111111111' } },
      },
    },
  ]);
  const found = expect.arrayContaining([PROGRAM, CODE].map((pubkey) => expect.objectContaining({ pubkey })));
  expect(await call('getProgramAccounts', loaded.owner, { encoding: 'base64' })).toEqual(found);
});

test('an account that its own key signs for is written from its beginning, and the rest of it stays', async () => {
  const { account, config, send, read, test } = await scene();
  const long = Buffer.alloc(200, 7);
  expect(await send([config], store(account, true, [], long))).toBeNull();
  test.tick();
  const keys: ConfigKey[] = [[one.publicKey, false], ...signing(two)];
  expect(await send([config, two], store(account, true, keys, Buffer.from('short')))).toBeNull();
  const list = configData(keys, Buffer.from('short'));
  expect(read()).toEqual(padded(Buffer.concat([list, long.subarray(list.length - 1)])));
});

test('an account without stored signers is written with its own signature alone', async () => {
  const { account, config, refusal } = await scene();
  expect(await refusal(store(account, false, []))).toBe(MISSING);
  expect(await refusal(store(account, false, signing(one)), one)).toBe(MISSING);
  expect(await refusal(store(account, true, [[one.publicKey, false]]), config)).toBeUndefined();
  expect(await refusal(store(account, false, [[one.publicKey, false]]))).toBe(MISSING);
});

test('the stored signers write it afterwards, all of them, and without its own signature', async () => {
  const { account, config, refusal, read } = await written(signing(one, two), one, two);
  const update = (keys: readonly ConfigKey[]) => store(account, false, keys, Buffer.from('second'));
  expect(await refusal(update(signing(one, two)), one, two)).toBeUndefined();
  expect(await refusal(update(signing(two, one)), one, two)).toBeUndefined();
  expect(read()).toEqual(padded(configData(signing(two, one), Buffer.from('second'))));
  expect(await refusal(update(signing(one)), one)).toBe(MISSING);
  expect(await refusal(store(account, true, []), config)).toBe(MISSING);
  expect(await refusal(update([...signing(one), [two.publicKey, false]]), one)).toBe(MISSING);
});

test('a new signer comes only where no keys are stored, or as the account itself', async () => {
  const { account, config, refusal } = await written(signing(one), one);
  expect(await refusal(store(account, false, signing(one, three)), one, three)).toBe(MISSING);
  expect(await refusal(store(account, false, signing(three)), three)).toBe(MISSING);
  expect(
    await refusal(store(account, false, [...signing(one), [three.publicKey, false]]), one),
  ).toBeUndefined();
  expect(await refusal(store(account, true, signing(one, config)), one, config)).toBeUndefined();
  const plain = await written([[one.publicKey, false]]);
  expect(await plain.refusal(store(plain.account, true, signing(two)), plain.config, two)).toBe(MISSING);
});

test('signers stand behind the account in the order of the list, the account itself counted', async () => {
  const { account, config, refusal } = await scene();
  const first = { pubkey: account, isSigner: true, isWritable: true };
  const list = configData([[three.publicKey, false], ...signing(one, two)]);
  const [a, b] = [signer(one.publicKey), signer(two.publicKey)];
  expect(await refusal(storeBytes(list, first, b, a), config, one, two)).toBe(MISSING);
  expect(await refusal(storeBytes(list, first, a), config, one)).toBe(MISSING);
  expect(await refusal(storeBytes(list, first, a, { ...b, isSigner: false }), config, one)).toBe(MISSING);
  expect(await refusal(storeBytes(list, first, a, b), config, one, two)).toBeUndefined();
  const own = await scene();
  const self = { pubkey: own.account, isSigner: true, isWritable: true };
  const ownList = configData(signing(own.config, one));
  expect(await own.refusal(storeBytes(ownList, self, a), own.config, one)).toBe(MISSING);
  expect(await own.refusal(storeBytes(ownList, self, b, a), own.config, one, two)).toBeUndefined();
});

test('accounts may come twice in an instruction', async () => {
  const { account, config, refusal } = await scene();
  const self = { pubkey: account, isSigner: true, isWritable: true };
  const list = configData(signing(config, one, two));
  const [a, b] = [signer(one.publicKey), signer(two.publicKey)];
  expect(await refusal(storeBytes(list, self, self, a, b, a, self), config, one, two)).toBeUndefined();
  expect(await refusal(storeBytes(list, self, self, a, a, b), config, one, two)).toBe(MISSING);
});

test('an entry that comes twice is refused; a key may come with and without its signature', async () => {
  const { account, config, refusal } = await scene();
  const plain: ConfigKey = [one.publicKey, false];
  expect(await refusal(store(account, true, [plain, [two.publicKey, false], plain]), config)).toBe(
    'InvalidArgument',
  );
  expect(await refusal(store(account, true, signing(one, one)), config, one)).toBe('InvalidArgument');
  expect(await refusal(store(account, true, [plain, ...signing(one)]), config, one)).toBeUndefined();
});

test('an instruction that is longer than the account is invalid', async () => {
  const { account, config, refusal } = await scene();
  expect(await refusal(store(account, true, [], Buffer.alloc(SPACE)), config)).toBe('InvalidInstructionData');
  expect(await refusal(store(account, true, [], Buffer.alloc(SPACE - 1)), config)).toBeUndefined();
});

test.each([
  ['nothing', Buffer.of()],
  ['a list that is cut', configData([[one.publicKey, false]]).subarray(0, -1)],
  ['a flag of 2', Buffer.concat([Buffer.of(1), one.publicKey.toBytes(), Buffer.of(2)])],
  ['38 keys', Buffer.concat([Buffer.of(38), Buffer.alloc(100)])],
  ['a length of two bytes', Buffer.concat([Buffer.of(0x81, 0x01), Buffer.alloc(100)])],
])('an instruction of %s is invalid', async (_, data) => {
  const { account, config, refusal } = await scene();
  const self = { pubkey: account, isSigner: true, isWritable: true };
  expect(await refusal(storeBytes(data, self), config)).toBe('InvalidInstructionData');
});

test.each([
  ['no data', Buffer.of()],
  ['a list that is cut', configData([[one.publicKey, false]]).subarray(0, -1)],
  ['a flag of 2', Buffer.concat([Buffer.of(1), one.publicKey.toBytes(), Buffer.of(2)])],
  ['a length that ends in 0', Buffer.concat([Buffer.of(0x81, 0x00), Buffer.alloc(100)])],
  ['a length above 16 bits', Buffer.concat([Buffer.of(0x81, 0x80, 0x04), Buffer.alloc(3_000_000)])],
  ['a length of four bytes', Buffer.concat([Buffer.of(0x81, 0x81, 0x81, 0x01), Buffer.alloc(3_000_000)])],
])('an account with %s is invalid', async (_, data) => {
  const { account, config, refusal, test } = await scene();
  await test.cheat('localnet_setAccount', account.toBase58(), { data: data.toString('base64') });
  expect(await refusal(store(account, true, []), config)).toBe('InvalidAccountData');
});

test('an account that was given 130 keys is read', async () => {
  const { account, config, refusal, test } = await scene();
  const keys = Array.from({ length: 130 }, (): ConfigKey => [Keypair.generate().publicKey, false]);
  const data = configData([...keys.slice(1), ...signing(one)]);
  await test.cheat('localnet_setAccount', account.toBase58(), { data: data.toString('base64') });
  expect(await refusal(store(account, true, []), config)).toBe(MISSING);
  expect(await refusal(store(account, false, signing(one)), one)).toBeUndefined();
});

test('accounts of other programs, no accounts and read-only ones are refused', async () => {
  const { test, wallet, account, config, send, refusal } = await scene();
  const foreign = Keypair.generate();
  expect(await send([foreign], createConfig(wallet, foreign, SPACE, one.publicKey))).toBeNull();
  expect(await refusal(store(foreign.publicKey, true, []), foreign)).toBe('InvalidAccountOwner');
  expect(await refusal(storeBytes(configData([])))).toBe('NotEnoughAccountKeys');
  const readOnly = { pubkey: account, isSigner: true, isWritable: false };
  expect(await refusal(storeBytes(configData([]), readOnly), config)).toEqual({ Custom: 0 });
  test.tick();
});

test('of several broken rules the first tells the error', async () => {
  const { account, refusal } = await scene();
  const readOnly = { pubkey: account, isSigner: false, isWritable: false };
  const twice: ConfigKey[] = [...signing(one), ...signing(one)];
  const long = Buffer.alloc(SPACE);
  expect(await refusal(storeBytes(Buffer.of()))).toBe('InvalidInstructionData');
  const other = { pubkey: two.publicKey, isSigner: false, isWritable: false };
  expect(await refusal(storeBytes(configData(twice), other))).toBe('InvalidAccountOwner');
  expect(await refusal(storeBytes(configData(twice, long), readOnly))).toBe(MISSING);
  const kept = await written(signing(one, two), one, two);
  const [a, b] = [signer(one.publicKey), signer(two.publicKey)];
  const keptReadOnly = { ...readOnly, pubkey: kept.account };
  expect(await kept.refusal(storeBytes(configData(twice, long), keptReadOnly, a, a), one)).toBe(
    'InvalidArgument',
  );
  expect(await kept.refusal(storeBytes(configData(signing(one), long), keptReadOnly, a), one)).toBe(MISSING);
  const whole = configData(signing(one, two), long);
  expect(await kept.refusal(storeBytes(whole, keptReadOnly, a, b), one, two)).toBe('InvalidInstructionData');
});
