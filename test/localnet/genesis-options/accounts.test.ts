import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { useNewDirectory } from '../../support/new-directory.ts';
import { newLedger } from '../new-ledger.ts';
import { read, write, writeAccount } from './files.ts';

const directory = useNewDirectory();
const newAddress = (): string => Keypair.generate().publicKey.toBase58();
const OWNER = newAddress();
const ACCOUNT = {
  lamports: 9_007_199_254_740_993n,
  data: [Buffer.from('hello').toString('base64'), 'base64'],
  owner: OWNER,
  executable: false,
  rentEpoch: 2n ** 64n - 1n,
  space: 5,
};

test('an account of a file is there from the first slot on, at every commitment', async () => {
  const [own, other] = [newAddress(), newAddress()];
  const path = writeAccount(directory(), 'a.json', own, ACCOUNT);
  const additions = await read({ lists: { account: ['-', path, other, path] } });
  const { call } = newLedger({ additions });
  for (const address of [own, other])
    for (const commitment of ['processed', 'finalized'] as const)
      expect((await call('getAccountInfo', address, { encoding: 'base64', commitment })).value).toMatchObject(
        {
          lamports: ACCOUNT.lamports,
          owner: OWNER,
          data: ACCOUNT.data,
          rentEpoch: ACCOUNT.rentEpoch,
        },
      );
  const owned = await call('getProgramAccounts', OWNER, { encoding: 'base64' });
  expect(owned).toHaveLength(2);
});

test('more lamports than all accounts together can have are refused with the file', async () => {
  const address = newAddress();
  const path = writeAccount(directory(), 'a.json', address, { ...ACCOUNT, lamports: 2n ** 64n - 1n });
  const additions = await read({ lists: { account: ['-', path] } });
  expect(() => newLedger({ additions })).toThrow(
    new RegExp(
      `--account ${path}: ${address} cannot have 18446744073709551615 lamports: .* the maximum is \\d+$`,
    ),
  );
});

test.each([
  ['base58', ['Cn8eVZg', 'base58']],
  ['base58 without a name', 'Cn8eVZg'],
  ['base64+zstd', [zstdCompressSync(Buffer.from('hello')).toString('base64'), 'base64+zstd']],
])('data may be in %s', async (_name, data) => {
  const path = writeAccount(directory(), 'a.json', newAddress(), { ...ACCOUNT, data });
  const { accounts } = await read({ lists: { account: ['-', path] } });
  expect(Buffer.from(accounts[0]?.account.data ?? []).toString()).toBe('hello');
});

test('a key file stands for its address', async () => {
  const keypair = Keypair.generate();
  const key = write(directory(), 'id.json', JSON.stringify([...keypair.secretKey]));
  const path = writeAccount(directory(), 'a.json', newAddress(), ACCOUNT);
  const { accounts, mint } = await read({ lists: { account: [key, path] }, mint: key });
  expect([accounts[0]?.address, mint]).toEqual([keypair.publicKey.toBase58(), keypair.publicKey.toBase58()]);
});

test('a directory gives the accounts of its .json files, and a file of its own wins over them', async () => {
  const folder = join(directory(), 'accounts');
  mkdirSync(folder);
  const [first, second] = [newAddress(), newAddress()];
  writeAccount(folder, 'a.json', first, ACCOUNT);
  writeAccount(folder, 'b.json', second, ACCOUNT);
  write(folder, 'README.md', 'no account');
  const other = writeAccount(directory(), 'c.json', second, { ...ACCOUNT, lamports: 7 });
  const additions = await read({ lists: { 'account-dir': [folder], account: ['-', other] } });
  expect(additions.accounts.map(({ address, account }) => [address, account.lamports])).toEqual([
    [first, ACCOUNT.lamports],
    [second, 7n],
  ]);
});

test.each([
  ['no JSON', '{', 'is not JSON'],
  ['no object', '[]', 'expected an object'],
  ['no account', '{"pubkey":"x"}', 'the account is not an object'],
  [
    'lamports below 0',
    JSON.stringify({ account: { ...ACCOUNT, lamports: -1 }, pubkey: OWNER }, big),
    'lamports is not a 64-bit integer',
  ],
  [
    'an invalid owner',
    JSON.stringify({ account: { ...ACCOUNT, owner: 'x' } }, big),
    'owner is not an address',
  ],
  [
    'no executable',
    JSON.stringify({ account: { ...ACCOUNT, executable: 1 } }, big),
    'executable is not true or false',
  ],
  [
    'an unknown encoding',
    JSON.stringify({ account: { ...ACCOUNT, data: ['', 'hex'] } }, big),
    '"hex", expected base58',
  ],
  [
    'bad base64',
    JSON.stringify({ account: { ...ACCOUNT, data: ['a', 'base64'] } }, big),
    'data is not base64: InvalidLength(1)',
  ],
  [
    'a bad frame',
    JSON.stringify({ account: { ...ACCOUNT, data: ['aGVsbG8=', 'base64+zstd'] } }, big),
    'not a zstd frame',
  ],
  ['no address', JSON.stringify({ account: { ...ACCOUNT, lamports: 1 } }, big), 'pubkey is not an address'],
])('a file with %s is named with what is wrong', async (_name, content, reason) => {
  const path = write(directory(), 'bad.json', content);
  const reading = read({ lists: { account: ['-', path] } });
  await expect(reading).rejects.toThrow(`localnet: --account: ${path} is not`);
  await expect(reading).rejects.toThrow(reason);
});

function big(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

test('what is not there is named', async () => {
  const missing = join(directory(), 'none');
  await expect(read({ lists: { account: ['-', missing] } })).rejects.toThrow(
    `${missing} cannot be read (ENOENT)`,
  );
  await expect(read({ lists: { 'account-dir': [missing] } })).rejects.toThrow(
    `${missing} cannot be read (ENOENT)`,
  );
  await expect(read({ mint: 'nobody' })).rejects.toThrow(
    '"nobody" is neither an address in base-58 nor the path',
  );
});

test('an invalid key file is named, and its content is not shown', async () => {
  const path = write(directory(), 'id.json', '["secret"]');
  const error: unknown = await read({ mint: path }).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain(`${path} is not a key file: expected an array of 64 bytes`);
  expect(String(error)).not.toContain('secret');
});

test('the mint has 500 million SOL and the faucet what it is given', async () => {
  const mint = newAddress();
  const additions = await read({ mint, faucetSol: '1.5' });
  const { call, ledger } = newLedger({ additions });
  expect((await call('getBalance', mint)).value).toBe(500_000_000_000_000_000n);
  expect((await call('getBalance', ledger.genesis.faucet.address)).value).toBe(1_500_000_000n);
});

test.each(['0', '-1', 'many', '1.0000000001', '5000000000'])(
  '--faucet-sol %s is refused',
  async (faucetSol) => {
    await expect(read({ faucetSol })).rejects.toThrow(`--faucet-sol: "${faucetSol}" is not an amount of SOL`);
  },
);
