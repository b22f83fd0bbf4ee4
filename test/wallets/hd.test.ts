import { HDKey } from 'micro-key-producer/slip10.js';
import { mnemonicToSeedSync } from '@scure/bip39';
import { base58 } from '@scure/base';
import { expect, test } from 'vitest';
import { eq } from '../../src/store/drizzle.ts';
import { operationCounts } from '../../src/store/money-tables.ts';
import type { ClientWallet, ManagedWallet, Wallet } from '../../generated/wallets/types.ts';
import { type TestAccount, useWalletService } from './use-service.ts';

const service = useWalletService({ env: { KEYSLOT_MAX_HD_CHILDREN: '2000' } });
const MINUTE_MS = 60_000;
const MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

function client(wallet: Wallet): ClientWallet {
  if (wallet.custody !== 'client') throw new Error('not a client wallet');
  return wallet;
}

function managed(wallet: Wallet | undefined): ManagedWallet {
  if (wallet?.custody !== 'managed') throw new Error('not a managed wallet');
  return wallet;
}

const expected = (path: string, passphrase = ''): string => {
  const node = HDKey.fromMasterSeed(mnemonicToSeedSync(MNEMONIC, passphrase)).derive(path, true);
  return base58.encode(node.publicKeyRaw);
};

test('children of a given mnemonic are those of every other wallet, x before y, with a passphrase too', async () => {
  const account = await service().newAccount();
  const wanted = {
    mnemonic: `  ${MNEMONIC.toUpperCase().replaceAll(' ', '\t')} `,
    passphrase: 'Ｐａｓｓ',
    accounts: { start: 5, count: 2 },
    change: { start: 2147483646, count: 2 },
  };
  const { master, wallets } = await account.client.createHdWallets(wanted);
  expect(client(master)).toMatchObject({ derivation_path: 'm', address: expected('m', 'Ｐａｓｓ') });
  const paths = [5, 6].flatMap((x) => [2147483646, 2147483647].map((y) => `m/44'/501'/${x}'/${y}'`));
  expect(wallets.map(({ derivation_path: path }) => path)).toEqual(paths);
  expect(wallets.map(({ address }) => address)).toEqual(paths.map((path) => expected(path, 'Ｐａｓｓ')));
  for (const { address, secret_key } of wallets.map(client)) {
    expect(base58.encode(base58.decode(secret_key).subarray(32))).toBe(address);
  }
  expect(await account.balance()).toMatchObject({ charged: 2_000n, reserved: 0n });
  expect(await account.log()).toEqual(['create ok 4']);
});

test.each([
  ['a word too few', MNEMONIC.split(' ').slice(1).join(' '), /it has 11 words; expected 12 or 24/],
  ['a word of no list', MNEMONIC.replace('legal', 'keyslot'), /a word is not in the English BIP39 list/],
  ['another last word', MNEMONIC.replace(/\w+$/, 'thank'), /the checksum is wrong/],
])('a mnemonic with %s is refused with the reason and without its words', async (_, mnemonic, reason) => {
  const { send, balance } = await service().newAccount();
  const answer = await send('POST', '/v1/wallets/hd', { mnemonic });
  const text = await answer.text();
  expect(JSON.parse(text)).toMatchObject({
    status: 400,
    code: 'mnemonic_invalid',
    detail: expect.stringMatching(reason),
  });
  expect(text).not.toContain('winner');
  expect(await balance()).toMatchObject({ charged: 0n, reserved: 0n });
});

test('1,000 children come as one object, more as a stream only, and never more than is configured', async () => {
  const { send } = await service().newAccount();
  const ask = (count: number, format: string) =>
    send('POST', '/v1/wallets/hd', { mnemonic: MNEMONIC, accounts: { count }, format });
  const whole = (await (await ask(1_000, 'json')).json()) as { wallets: readonly Wallet[] };
  expect(whole.wallets).toHaveLength(1_000);
  expect([(await ask(1_001, 'json')).status, (await ask(2_001, 'jsonl')).status]).toEqual([422, 422]);
  const streamed = await ask(2_000, 'csv');
  expect(streamed.headers.get('x-wallet-count')).toBe('2001');
  expect((await streamed.text()).split('\r\n')).toHaveLength(2_003);
});

async function newTree(account: TestAccount, count: number) {
  const made = await account.client.createHdWallets({ custody: 'managed', accounts: { start: 0, count } });
  return { master: managed(made.master), wallets: made.wallets.map(managed) };
}

test('a managed master is counted, one of a client is not', async () => {
  const account = await service().newAccount();
  const counted = async () => {
    const own = eq(operationCounts.accountId, account.id);
    const rows = await service().store.db.select().from(operationCounts).where(own);
    return Object.fromEntries(rows.map(({ operation, units }) => [operation, Number(units)]));
  };
  await account.client.createHdWallets({ mnemonic: MNEMONIC, accounts: { count: 2 } });
  expect(await counted()).toEqual({ hd_child_derivation: 2 });
  await newTree(account, 1);
  expect(await counted()).toEqual({ hd_child_derivation: 3, hd_master_creation: 1 });
  // More than fit one group.
  await newTree(account, 100);
  expect(await counted()).toEqual({ hd_child_derivation: 103, hd_master_creation: 2 });
});

test('a managed master derives more later, and what is there is answered again and not charged', async () => {
  const account = await service().newAccount();
  const { master, wallets } = await newTree(account, 2);
  expect(await account.balance()).toMatchObject({ charged: 1_000n, reserved: 0n });
  const more = await account.client.createHdWallets({
    master_wallet_id: master.wallet_id,
    accounts: { start: 1, count: 2 },
    format: 'jsonl',
  });
  const lines: ManagedWallet[] = [];
  for await (const line of more) lines.push(managed(line));
  expect(lines.map(({ derivation_path: path }) => path)).toEqual([
    'm',
    "m/44'/501'/1'/0'",
    "m/44'/501'/2'/0'",
  ]);
  expect(lines.slice(0, 2)).toEqual([master, wallets[1]]);
  expect(await account.balance()).toMatchObject({ charged: 1_500n, reserved: 0n });
  const metadata = await account.client.getWallet(lines[2]?.wallet_id ?? '');
  expect(metadata).toMatchObject({ master_wallet_id: master.wallet_id, derivation_path: "m/44'/501'/2'/0'" });
});

test('the same range asked for by many at once is derived, stored and charged once', async () => {
  const account = await service().newAccount();
  const { master } = await newTree(account, 1);
  const range = { master_wallet_id: master.wallet_id, accounts: { start: 10, count: 40 } };
  const answers = await Promise.all(Array.from({ length: 6 }, () => account.client.createHdWallets(range)));
  const [first] = answers;
  for (const answer of answers) expect(answer).toEqual(first);
  expect(await account.balance()).toMatchObject({ charged: 41n * 500n, reserved: 0n });
});

test('a destroyed child is never derived again, alone or in a range; nothing is charged for the try', async () => {
  const account = await service().newAccount();
  const { master, wallets } = await newTree(account, 3);
  const twoFactorCode = account.code();
  await account.client.destroyWallet(wallets[1]?.wallet_id ?? '', { twoFactorCode });
  const { charged } = await account.balance();
  for (const accounts of [
    { start: 1, count: 1 },
    { start: 0, count: 20 },
  ]) {
    const body = { master_wallet_id: master.wallet_id, accounts };
    const answer = await account.send('POST', '/v1/wallets/hd', body);
    expect([answer.status, await answer.json()]).toMatchObject([
      409,
      { code: 'derivation_destroyed', x: 1, y: 0 },
    ]);
  }
  expect(await account.balance()).toMatchObject({ charged, reserved: 0n });
  const others = { master_wallet_id: master.wallet_id, accounts: { start: 2, count: 2 } };
  expect((await account.client.createHdWallets(others)).wallets).toHaveLength(2);
});

test('destroying a master destroys no child, and it derives no more', async () => {
  const account = await service().newAccount();
  const { master, wallets } = await newTree(account, 1);
  service().clock.set(service().clock.nowMs() + MINUTE_MS);
  await account.client.destroyWallet(master.wallet_id, { twoFactorCode: account.code() });
  const child = wallets[0]?.wallet_id ?? '';
  await account.client.signWithWallet(child, { message: 'aGk=' });
  const again = { master_wallet_id: master.wallet_id, accounts: { start: 0, count: 1 } };
  expect((await account.send('POST', '/v1/wallets/hd', again)).status).toBe(404);
});

test('a wallet that is no master, and a master of another account, are not found', async () => {
  const [account, other] = [await service().newAccount(), await service().newAccount()];
  const { master, wallets } = await newTree(other, 1);
  const ask = (who: TestAccount, id: string) => who.send('POST', '/v1/wallets/hd', { master_wallet_id: id });
  expect((await ask(account, master.wallet_id)).status).toBe(404);
  expect((await ask(other, wallets[0]?.wallet_id ?? '')).status).toBe(404);
});
