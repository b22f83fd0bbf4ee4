import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStreamClient, type WalletActivity } from '../../../generated/stream/package.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { addCredit, command, createToken } from '../../support/wallet-account.ts';

let server: RunningKeyslot;
beforeAll(async () => {
  server = await startKeyslot({ env: { KEYSLOT_LOCALNET_SLOT_MS: '100' } });
});
afterAll(() => server?.stop());

/** An account with a key, a token and managed wallets. */
async function makeAccount(account: string, count: number) {
  const { token } = await createToken(server.dataDir, account);
  await addCredit(server.dataDir, account, '10');
  const { key: apiKey = '' } = await command(server.dataDir, ['keys', 'create', '--account', account]);
  const wallets: { readonly wallet_id: string; readonly address: string }[] = [];
  for (let index = 0; index < count; index++) {
    const answer = await fetch(`${server.baseUrl}/v1/wallets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"custody":"managed"}',
    });
    wallets.push((await answer.json()) as (typeof wallets)[number]);
  }
  return { account, apiKey, token, wallets };
}

async function airdrop(address: string, lamports: number): Promise<string> {
  const call = { jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [address, lamports] };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(server.rpcUrl, { method: 'POST', headers, body: JSON.stringify(call) });
  return ((await answer.json()) as { readonly result: string }).result;
}

it('each account is told what happens to its managed wallets, and never of those of another one', async () => {
  const [first, second] = [await makeAccount('first', 2), await makeAccount('second', 1)];
  const streams = [first, second].map(({ apiKey, token }) => {
    const client = createStreamClient({ url: server.grpcUrl, apiKey, token });
    return { client, stream: client.subscribe('wallet-activity') };
  });
  const told = streams.map(async ({ stream }, index) => {
    const seen: WalletActivity[] = [];
    for await (const activity of stream) {
      seen.push(activity);
      if (seen.length === (index === 0 ? 4 : 2)) break;
    }
    return seen;
  });
  const open = async (): Promise<number> => {
    const text = await (await fetch(`${server.baseUrl}/metrics`)).text();
    return Number(/keyslot_streams_open\{[^}]*wallet-activity[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
  };
  await eventually('both streams are open', async () => (await open()) === 2 || undefined);
  const signatures: string[] = [];
  for (let round = 1; round <= 2; round++) {
    for (const { address } of [...first.wallets, ...second.wallets])
      signatures.push(await airdrop(address, 1_000_000_000 + round));
  }
  const [ofFirst = [], ofSecond = []] = await Promise.all(told);
  const places = (seen: readonly WalletActivity[]) =>
    seen.map(({ walletId, address }) => [walletId, address]);
  const expected = ({ wallets }: typeof first) =>
    wallets.map(({ wallet_id, address }) => [wallet_id, address]);
  expect(new Set(places(ofFirst).map(String))).toEqual(new Set(expected(first).map(String)));
  expect(new Set(places(ofSecond).map(String))).toEqual(new Set(expected(second).map(String)));
  const all = [...ofFirst, ...ofSecond].map(({ signature }) => signature);
  expect(all.sort()).toEqual(signatures.sort());
  const [one] = ofSecond;
  expect(one).toMatchObject({
    previousLamports: 0n,
    lamports: 1_000_000_001n,
    signed: false,
    error: undefined,
  });
  for (const { client } of streams) client.close();
});
