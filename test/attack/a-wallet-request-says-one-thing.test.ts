import { expect, test } from 'vitest';
import { useWalletService } from '../wallets/use-service.ts';

const service = useWalletService();

type Refusal = { readonly code: string; readonly errors?: readonly { readonly pointer: string }[] };

async function refusalOf(answer: Response) {
  const { code, errors = [] } = (await answer.json()) as Refusal;
  return [answer.status, code, ...errors.map(({ pointer }) => pointer)];
}

test.each([
  ['/v1/wallets', '{"custody":"managed","custody":"client"}', '/custody'],
  ['/v1/wallets', '{"custody":"managed","\\u0063ustody":"client"}', '/custody'],
  ['/v1/wallets/batch', '{"count":1,"count":2}', '/count'],
  ['/v1/wallets/hd', '{"accounts":{"count":1,"count":2}}', '/accounts/count'],
  ['/v1/wallets/hd', '{"accounts":{"count":1},"accounts":{"count":2}}', '/accounts'],
  ['/v1/wallets/w_8iUJPsBQGcwe8SGq9nvuTc/sign', '{"message":"aGk=","message":"aG8="}', '/message'],
])('a member that stands twice is refused: %s %s', async (path, body, pointer) => {
  const { send, balance } = await service().newAccount();
  expect(await refusalOf(await send('POST', path, body))).toEqual([400, 'body_invalid', pointer]);
  expect(await balance()).toMatchObject({ charged: 0n });
});

test('a member of the same name in two objects is not one that stands twice', async () => {
  const { send } = await service().newAccount();
  const body = { accounts: { start: 0, count: 1 }, change: { start: 0, count: 1 }, mnemonic_words: 12 };
  expect((await send('POST', '/v1/wallets/hd', body)).status).toBe(200);
});

test.each([
  ['/v1/wallets?custody=managed', '/custody'],
  ['/v1/wallets?Custody=managed', '/custody'],
  ['/v1/wallets?%63ustody=managed', '/custody'],
  ['/v1/wallets?count=3', '/count'],
  ['/v1/wallets/batch?custody=managed', '/custody'],
  ['/v1/wallets/batch?format=csv', '/format'],
  ['/v1/wallets/hd?passphrase=hunter2', '/passphrase'],
  ['/v1/wallets/hd?accounts', '/accounts'],
])(
  'a member of the body in the query is refused with a hint, and no key comes back: %s',
  async (path, pointer) => {
    const { send, balance } = await service().newAccount();
    const body = path.includes('batch') ? { count: 1 } : {};
    const answer = await send('POST', path, body);
    const text = await answer.text();
    expect([answer.status, text.includes('secret_key'), text.includes('hunter2')]).toEqual([
      400,
      false,
      false,
    ]);
    expect(JSON.parse(text)).toMatchObject({
      code: 'body_invalid',
      errors: [{ pointer, detail: expect.stringContaining('JSON body') }],
    });
    expect(await balance()).toMatchObject({ charged: 0n });
  },
);

test('other parameters of a query pass', async () => {
  const { send } = await service().newAccount();
  expect((await send('POST', '/v1/wallets?trace=1', {})).status).toBe(201);
});

test.each([
  ['/v1/wallets', '{"mnemonic_words":12,"passphrase":"a\\ud800b"}', '/passphrase'],
  ['/v1/wallets/batch', '{"count":1,"mnemonic_words":12,"passphrase":"\\udc00"}', '/passphrase'],
  ['/v1/wallets/hd', '{"passphrase":"\\udfff\\ud800"}', '/passphrase'],
  ['/v1/wallets', '{"label":"a\\ud800"}', '/label'],
])('a lone surrogate is refused: %s %s', async (path, body, pointer) => {
  const { send } = await service().newAccount();
  const answer = await send('POST', path, body);
  const text = await answer.text();
  expect(JSON.parse(text)).toMatchObject({
    status: 400,
    errors: [{ pointer, detail: 'has a lone surrogate, which is not a character' }],
  });
});

test('a passphrase beyond the basic plane is taken', async () => {
  const { send } = await service().newAccount();
  expect((await send('POST', '/v1/wallets/hd', { passphrase: '🦊 ключ' })).status).toBe(200);
});

test('a wallet id with a zero character, or any other that cannot be one, is not found', async () => {
  const { send, code } = await service().newAccount();
  const factor = { 'x-two-factor-code': code() };
  for (const id of ['%00', 'w_8iUJPsBQGcwe8SGq9nvuTc%00', 'w_%00', '%F0%9F%A6%8A', 'x']) {
    const path = `/v1/wallets/${id}`;
    const answers = [
      await send('GET', path),
      await send('DELETE', path, undefined, factor),
      await send('POST', `${path}/sign`, { message: 'aGk=' }),
      await send('POST', `${path}/sign`, { message: 'aGk=' }, { 'idempotency-key': id }),
    ];
    for (const answer of answers) expect(await refusalOf(answer)).toEqual([404, 'wallet_not_found']);
  }
  const named = await send('POST', '/v1/wallets/hd', { master_wallet_id: 'w_\u0000' });
  expect(await refusalOf(named)).toEqual([404, 'wallet_not_found']);
});
