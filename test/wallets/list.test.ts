import { expect, test } from 'vitest';
import { type TestAccount, useWalletService } from './use-service.ts';

const service = useWalletService();

/** Makes managed wallets one after the other, a millisecond apart. @returns their ids, newest first. */
async function makeWallets({ client }: TestAccount, labels: readonly string[]): Promise<readonly string[]> {
  const { clock } = service();
  const ids: string[] = [];
  for (const label of labels) {
    clock.set(clock.nowMs() + 1);
    const wallet = await client.createWallet({ custody: 'managed', label });
    if (wallet.custody !== 'managed') throw new Error('not managed');
    ids.unshift(wallet.wallet_id);
  }
  return ids;
}

const listed = async (account: TestAccount, query: Parameters<TestAccount['client']['listWallets']>[0]) => {
  const { wallets, next_cursor } = await account.client.listWallets(query);
  return { ids: wallets.map(({ wallet_id }) => wallet_id), next: next_cursor };
};

test('a list has the wallets of the account alone, newest first, page by page, each once', async () => {
  const [own, other] = [await service().newAccount(), await service().newAccount()];
  const ids = await makeWallets(own, ['a', 'b', 'c', 'd', 'e']);
  await makeWallets(other, ['a']);
  const seen: string[] = [];
  const sizes: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await listed(own, { limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    seen.push(...page.ids);
    sizes.push(page.ids.length);
    cursor = page.next;
  } while (cursor !== undefined);
  expect([seen, sizes]).toEqual([ids, [2, 2, 1]]);
});

test('a page that is exactly full is the last one when nothing follows', async () => {
  const account = await service().newAccount();
  const ids = await makeWallets(account, ['a', 'b']);
  expect(await listed(account, { limit: 2 })).toEqual({ ids, next: undefined });
  expect(await listed(await service().newAccount(), {})).toEqual({ ids: [], next: undefined });
});

test('wallets of one request have one time, and are listed each once', async () => {
  const account = await service().newAccount();
  const made: string[] = [];
  for await (const wallet of await account.client.createWalletBatch({ custody: 'managed', count: 7 }))
    if (wallet.custody === 'managed') made.push(wallet.wallet_id);
  const first = await listed(account, { limit: 4 });
  const second = await listed(account, { limit: 4, cursor: first.next ?? '' });
  expect([...first.ids, ...second.ids].toSorted()).toEqual(made.toSorted());
});

test('filters look for a part of the label in any case, an address, and the children of a master', async () => {
  const account = await service().newAccount();
  const [, second = ''] = await makeWallets(account, ['Deposit 1', 'deposit 2', '100%_ fee']);
  const label = async (text: string) => (await listed(account, { label: text })).ids.length;
  expect([await label('DEPOSIT'), await label('sit 2'), await label('%_'), await label('_')]).toEqual([
    2, 1, 1, 1,
  ]);
  const { address } = await account.client.getWallet(second);
  expect((await listed(account, { address })).ids).toEqual([second]);
  expect((await listed(account, { address, label: 'fee' })).ids).toEqual([]);
  const tree = await account.client.createHdWallets({ custody: 'managed', accounts: { count: 3 } });
  const { master } = tree;
  if (master.custody !== 'managed') throw new Error('not managed');
  const children = await listed(account, { master_wallet_id: master.wallet_id });
  expect(children.ids.length).toBe(3);
  expect(children.ids).not.toContain(master.wallet_id);
  expect((await listed(account, { master_wallet_id: 'none' })).ids).toEqual([]);
});

test('a destroyed wallet is not listed, and a cursor that ends at it continues', async () => {
  const account = await service().newAccount({ isEnrolled: true });
  const [, middle = '', oldest] = await makeWallets(account, ['a', 'b', 'c']);
  const { next = '' } = await listed(account, { limit: 2 });
  await account.client.destroyWallet(middle, { twoFactorCode: account.code() });
  expect((await listed(account, { limit: 2, cursor: next })).ids).toEqual([oldest]);
  expect((await listed(account, {})).ids).not.toContain(middle);
});

test('a call is in the audit log, and needs its scope', async () => {
  const account = await service().newAccount();
  await account.client.listWallets();
  expect((await account.log()).at(-1)).toBe('list ok');
  const blind = await service().newAccount({ scopes: ['wallets:create'] });
  await expect(blind.client.listWallets()).rejects.toMatchObject({ failure: { code: 'scope_missing' } });
});

test.each([
  ['limit=0', '/limit', 'must be at least 1'],
  ['limit=1e3', '/limit', 'must be an integer'],
  ['limit=', '/limit', 'must be an integer'],
  ['limit=2&limit=3', '/limit', 'is given more than once'],
  ['cursor=AAAA', '/cursor', 'does not have the required form'],
  [`cursor=${'A'.repeat(32)}`, '/cursor', 'is not the next_cursor of a page'],
  ['label=%00', '/label', 'does not have the required form'],
  ['labels=x', '/labels', 'is not a parameter of this operation'],
  ['address=l', '/address', 'does not have the required form'],
])('?%s is refused with its place', async (search, pointer, detail) => {
  const account = await service().newAccount();
  const answer = await account.send('GET', `/v1/wallets?${search}`);
  expect(answer.status).toBe(400);
  const problem = (await answer.json()) as { readonly code: string; readonly errors: readonly object[] };
  expect([problem.code, problem.errors[0]]).toEqual([
    'query_invalid',
    expect.objectContaining({ pointer, detail }),
  ]);
});
