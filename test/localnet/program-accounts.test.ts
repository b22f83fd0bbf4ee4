import { Keypair, SystemProgram } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { encodeBase58 } from '../../src/localnet/bytes/base58.ts';
import { newLedger } from './new-ledger.ts';
import { fundedWallet, sendNow, signed } from './transactions.ts';

const BASE64 = { commitment: 'processed', encoding: 'base64' } as const;

async function withAccounts(sizes: readonly number[]) {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const program = Keypair.generate().publicKey;
  const accounts = sizes.map(() => Keypair.generate());
  for (const [index, account] of accounts.entries()) {
    const create = SystemProgram.createAccount({
      fromPubkey: wallet.publicKey,
      newAccountPubkey: account.publicKey,
      lamports: 10_000_000,
      space: sizes[index] ?? 0,
      programId: program,
    });
    await sendNow(test, signed(test, [wallet, account], create));
  }
  const addresses = accounts
    .map(({ publicKey }) => publicKey)
    .sort((a, b) => Buffer.compare(a.toBuffer(), b.toBuffer()));
  return { test, program: program.toBase58(), addresses: addresses.map((key) => key.toBase58()) };
}

test('accounts come in the order of their address bytes', async () => {
  const { test, program, addresses } = await withAccounts([1, 2, 3, 4, 5]);
  const found = await test.call('getProgramAccounts', program, BASE64);
  expect(found).toMatchObject(addresses.map((pubkey) => ({ pubkey })));
  const wrapped = await test.call('getProgramAccounts', program, { ...BASE64, withContext: true });
  expect(wrapped).toMatchObject({ context: { slot: 32n }, value: { length: 5 } });
});

test('filters choose by size and by bytes, and dataSlice cuts what is shown', async () => {
  const { test, program } = await withAccounts([8, 8, 40]);
  expect(
    await test.call('getProgramAccounts', program, { ...BASE64, filters: [{ dataSize: 8 }] }),
  ).toHaveLength(2);
  const memcmp = { offset: 32, bytes: encodeBase58(new Uint8Array(8)) };
  const found = await test.call('getProgramAccounts', program, {
    ...BASE64,
    filters: [{ memcmp }],
    dataSlice: { offset: 30, length: 4 },
  });
  expect(found).toMatchObject([{ account: { space: 40n, data: ['AAAAAA==', 'base64'] } }]);
});

test('the default encoding refuses data above 128 bytes for the whole call', async () => {
  const { test, program } = await withAccounts([128, 129]);
  const small = { commitment: 'processed', filters: [{ dataSize: 128 }] } as const;
  expect(await test.call('getProgramAccounts', program, small)).toMatchObject([
    { account: { data: expect.any(String) } },
  ]);
  expect((await test.refusal('getProgramAccounts', program, { commitment: 'processed' })).code).toBe(
    'base58DataTooLarge',
  );
});

test('several accounts at once, null where there is none', async () => {
  const { test, addresses } = await withAccounts([8]);
  const nobody = Keypair.generate().publicKey.toBase58();
  const { value } = await test.call('getMultipleAccounts', [nobody, addresses[0] ?? ''], {
    commitment: 'processed',
  });
  expect(value).toMatchObject([null, { space: 8n, data: ['AAAAAAAAAAA=', 'base64'] }]);
});

test('a filter that cannot be decoded is refused, whether or not there are accounts', async () => {
  const { refusal } = newLedger();
  const program = Keypair.generate().publicKey.toBase58();
  const refused = async (memcmp: object) =>
    (await refusal('getProgramAccounts', program, { filters: [{ memcmp: { offset: 0, ...memcmp } }] }))
      .message;
  expect(await refused({ bytes: '0OIl' })).toBe(
    "Invalid param: Base58DecodeError(InvalidCharacter { character: '0', index: 0 })",
  );
  expect(await refused({ bytes: '*', encoding: 'base64' })).toBe(
    'Invalid param: Base64DecodeError(InvalidByte(0, 42))',
  );
  expect(await refused({ bytes: '1'.repeat(129) })).toBe('Invalid param: DataTooLarge');
});
