import { expect, test } from 'vitest';
import { setUseLimit } from '../../src/account/plans/wallet-use-limit.ts';
import { useWalletService } from '../wallets/use-service.ts';

const PER_SECOND = 20;
const service = useWalletService({ requestsPerSecond: PER_SECOND });

async function newWallet() {
  const account = await service().newAccount();
  const made = await account.send('POST', '/v1/wallets', { custody: 'managed' });
  const { wallet_id: id } = (await made.json()) as { wallet_id: string };
  return { account, id };
}

test.each([
  ['fetches', 'GET', '', undefined],
  ['signatures', 'POST', '/sign', { message: 'aGk=' }],
  ['destructions without a code', 'DELETE', '', undefined],
])(
  '%s above the rate of the plan are refused with when to come again, and leave no row',
  async (_what, method, path, body) => {
    const { account, id } = await newWallet();
    const calls = Array.from({ length: 5 * PER_SECOND }, () =>
      account.send(method, `/v1/wallets/${id}${path}`, body),
    );
    const answers = await Promise.all(calls);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(Number(answer.headers.get('retry-after'))).toBe(1);
      expect(answer.headers.get('ratelimit-policy')).toBe(`"wallet-use";q=${PER_SECOND};w=1`);
      expect(await answer.json()).toMatchObject({ code: 'wallet_rate_limited', limit: PER_SECOND });
    }
    expect(await account.log()).toHaveLength(1 + answers.length - refused.length);
  },
);

test('an account may be given another rate, and its plan’s again', async () => {
  const { account, id } = await newWallet();
  const burst = async (): Promise<number> => {
    const calls = Array.from({ length: 3 * PER_SECOND }, () => account.send('GET', `/v1/wallets/${id}`));
    return (await Promise.all(calls)).filter(({ status }) => status === 429).length;
  };
  await setUseLimit(service(), account.id, 100_000);
  expect(await burst()).toBe(0);
  await setUseLimit(service(), account.id, undefined);
  expect(await burst()).toBeGreaterThan(0);
});
