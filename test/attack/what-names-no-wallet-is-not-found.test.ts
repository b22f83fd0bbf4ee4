import { expect, test } from 'vitest';
import { useWalletService } from '../wallets/use-service.ts';

const service = useWalletService();

/** PostgreSQL takes no NUL in a text, and has to be asked for none. */
const NO_IDS = [
  'w_%00',
  'w_Mv1yfX%00SRds89fzXtB8iMzg',
  '%00',
  'w_%EF%BF%BF',
  'w_',
  'W_Mv1yfXSRds89fzXtB8iMzg',
];

const REQUESTS = [
  ['GET', '', undefined],
  ['DELETE', '', undefined],
  ['POST', '/sign', { message: 'aGVsbG8=' }],
] as const;

test.each(REQUESTS)('%s /v1/wallets/{id}%s of what is no id finds no wallet', async (method, rest, body) => {
  const { send } = await service().newAccount();
  for (const id of NO_IDS) {
    const answer = await send(method, `/v1/wallets/${id}${rest}`, body, { 'x-two-factor-code': '123456' });
    const { code } = (await answer.json()) as { code: string };
    expect([id, answer.status, code]).toEqual([id, 404, 'wallet_not_found']);
  }
});

test('a master whose id is none is not found', async () => {
  const { send } = await service().newAccount();
  for (const id of NO_IDS.map(decodeURIComponent)) {
    const answer = await send('POST', '/v1/wallets/hd', { master_wallet_id: id });
    const { code } = (await answer.json()) as { code: string };
    expect([id, answer.status, code]).toEqual([id, 404, 'wallet_not_found']);
  }
});
