import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../../src/devkit/contract/wallets/check-answer.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { addCredit, command, createToken, enrol } from '../../support/wallet-account.ts';
import { ask, makeMaster, makeWallets } from './ask-wallets.ts';
import { createAuthenticator } from './authenticator.ts';

const NEVER_MADE = 'w_8iUJPsBQGcwe8SGq9nvuTc';

let server: RunningKeyslot;
let [victim, stranger, wallet, master] = ['', '', '', ''];
let code: () => Promise<string>;

beforeAll(async () => {
  server = await startKeyslot();
  const { dataDir, baseUrl } = server;
  ({ token: victim } = await createToken(dataDir, 'victim'));
  ({ token: stranger } = await createToken(dataDir, 'stranger'));
  for (const account of ['victim', 'stranger']) await addCredit(dataDir, account, '10');
  ({ code } = createAuthenticator(await enrol(dataDir, 'stranger')));
  [wallet] = await makeWallets(baseUrl, victim, 1);
  ({ master } = await makeMaster(baseUrl, victim));
});
afterAll(() => server?.stop());

/** Every operation on a wallet, and the one on a master. */
const attempts = (
  id: string,
  masterId: string,
  twoFactorCode: string,
): readonly (() => Promise<Answer>)[] => {
  const to = (target: string, options = {}) => ask(server.baseUrl, stranger, target, options);
  return [
    () => to(`GET /v1/wallets/${id}`),
    () => to(`POST /v1/wallets/${id}/sign`, { body: { message: 'aGVsbG8=' } }),
    () => to(`DELETE /v1/wallets/${id}`, { headers: { 'X-Two-Factor-Code': twoFactorCode } }),
    () => to('POST /v1/wallets/hd', { body: { master_wallet_id: masterId } }),
    () => to('POST /v1/wallets/hd', { body: { master_wallet_id: masterId, format: 'jsonl' } }),
    () =>
      to('POST /v1/wallets/hd', { body: { master_wallet_id: masterId, accounts: { start: 5, count: 2 } } }),
  ];
};

/** An answer without what is another one each time. */
const shown = ({ status, headers, text }: Answer) => ({
  status,
  body: text.replace(/req_\w+/g, 'req'),
  headers: [...headers].filter(([name]) => !/^(date|x-request-id|ratelimit|content-length)/.test(name)),
});

const balance = (account: string) => command(server.dataDir, { kind: 'money.balance', account });

test('another account finds no wallet, whatever it tries: the answer is that to a wallet that never was, and nothing happens', async () => {
  const before = [await balance('victim'), await balance('stranger')];
  const onOthers = attempts(wallet, master, await code());
  const onNone = attempts(NEVER_MADE, NEVER_MADE, await code());
  for (const [index, attempt] of onOthers.entries()) {
    const answer = await attempt();
    expect([index, answer.status, JSON.parse(answer.text).code]).toEqual([index, 404, 'wallet_not_found']);
    const none = await onNone[index]?.();
    expect(none && shown(none)).toEqual(shown(answer));
    for (const secret of [wallet, master]) expect(answer.text).not.toContain(secret);
  }
  expect([await balance('victim'), await balance('stranger')]).toEqual(before);
  const { status, text } = await ask(server.baseUrl, victim, `GET /v1/wallets/${wallet}`);
  expect([status, JSON.parse(text).wallet_id]).toEqual([200, wallet]);
  const signed = await ask(server.baseUrl, victim, `POST /v1/wallets/${wallet}/sign`, {
    body: { message: 'aGVsbG8=' },
  });
  expect(signed.status).toBe(200);
});

test('what another account tried does not use up its code', async () => {
  const headers = { 'X-Two-Factor-Code': await code() };
  const refused = await ask(server.baseUrl, stranger, `DELETE /v1/wallets/${wallet}`, { headers });
  expect(refused.status).toBe(404);
  const [own] = await makeWallets(server.baseUrl, stranger, 1);
  const destroyed = await ask(server.baseUrl, stranger, `DELETE /v1/wallets/${own}`, { headers });
  expect(destroyed.status).toBe(200);
});

test('an id that looks like a path or a pattern finds nothing either', async () => {
  for (const id of [
    '..',
    '%2e%2e',
    `${wallet}%00`,
    `${wallet}%2Fsign`,
    '*',
    `${wallet} `,
    wallet.toLowerCase(),
  ]) {
    const { status, text } = await ask(server.baseUrl, victim, `GET /v1/wallets/${encodeURI(id)}`);
    expect([id, status]).toEqual([id, 404]);
    expect(text).not.toContain('address');
  }
});
