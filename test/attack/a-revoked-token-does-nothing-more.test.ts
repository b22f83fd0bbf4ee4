import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import type { KeyChunks } from '../../src/core/keys/pool.ts';
import type { Signer } from '../../src/signer/signer.ts';
import { eq } from '../../src/store/drizzle.ts';
import { wallets } from '../../src/store/wallet-tables.ts';
import { answerRequest } from '../../src/wallets/answer-request.ts';
import { NO_CLAIM } from '../../src/wallets/claim.ts';
import { replacementStream } from '../../src/wallets/client/begin-charged.ts';
import { type TestAccount, useWalletService } from '../wallets/use-service.ts';

// A stream of wallets lasts for minutes. A thief of a token opens one and continues after it was revoked, as does a request that was admitted.

const NOTHING = { query: undefined, twoFactorCode: undefined } as const;

/** Called when the signer is asked for something, before it does it. */
let onAsked: (what: 'create' | 'createMaster' | 'derive' | 'sign', times: number) => void = () => undefined;
let asked = 0;

const told = (signer: Signer): Signer => ({
  ...signer,
  create: (...all) => {
    onAsked('create', ++asked);
    return signer.create(...all);
  },
  createMaster: (...all) => {
    onAsked('createMaster', ++asked);
    return signer.createMaster(...all);
  },
  derive: (...all) => {
    onAsked('derive', ++asked);
    return signer.derive(...all);
  },
  sign: (...all) => {
    onAsked('sign', ++asked);
    return signer.sign(...all);
  },
});

const service = useWalletService({ withSigner: told, env: { KEYSLOT_MAX_HD_CHILDREN: '2000' } });

/** An account, and what takes its token away: at once, or when the signer is asked for something. */
async function newVictim() {
  [onAsked, asked] = [() => undefined, 0];
  const account = await service().newAccount();
  const { tokens, clock, store } = service();
  const found = tokens.find(account.token, clock.nowMs());
  const tokenId = found.kind === 'valid' ? found.tokenId : '';
  const revoke = (): void => tokens.revoke(tokenId);
  const revokeWhen = (what: Parameters<typeof onAsked>[0], times: number): void => {
    asked = 0;
    onAsked = (...now) => (now[0] === what && now[1] === times ? revoke() : undefined);
  };
  const stored = () => store.db.$count(wallets, eq(wallets.accountId, account.id));
  const caller = { accountId: account.id, tokenId, requestId: 'req_1' };
  const how = { caller, idempotencyKey: undefined, signal: new AbortController().signal };
  const passed = { ...how, watchDelivery: () => () => undefined };
  return { ...account, revoke, revokeWhen, stored, caller, passed };
}

/** The amount charged, once no reservation is left. */
const chargedAtEnd = ({ balance }: Pick<TestAccount, 'balance'>) =>
  eventually('the stream is settled', async () => {
    const { charged, reserved } = await balance();
    return reserved === 0n ? { charged } : undefined;
  });

test('a batch of managed wallets ends between two groups: what was stored is charged, and nothing else is', async () => {
  const victim = await newVictim();
  // The third group is begun before the second one is stored.
  victim.revokeWhen('create', 3);
  const answer = await victim.send('POST', '/v1/wallets/batch', { custody: 'managed', count: 2_000 });
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
  const { charged } = await chargedAtEnd(victim);
  expect([await victim.stored(), charged]).toEqual([16, 16_000n]);
  expect((await victim.log()).slice(-1)).toEqual(['create token_revoked']);
});

test('a tree of managed wallets ends between two groups', async () => {
  const victim = await newVictim();
  victim.revokeWhen('derive', 3);
  const ranges = { accounts: { count: 20 }, change: { count: 50 } };
  const answer = await victim.send(
    'POST',
    '/v1/wallets/hd',
    { custody: 'managed', ...ranges },
    { accept: 'application/jsonl' },
  );
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
  const { charged } = await chargedAtEnd(victim);
  // A master, which costs nothing, and the first group.
  expect([await victim.stored(), charged]).toEqual([33, 16_000n]);
  expect((await victim.log()).slice(-1)).toEqual(['create token_revoked']);
});

test('a batch of client wallets ends between two chunks: those that were passed on are charged', async () => {
  const victim = await newVictim();
  const body = { custody: 'client', count: 5_000, mnemonic_words: 12, passphrase: '' } as const;
  const wanted = {
    operation: 'createWalletBatch',
    request: { ...NOTHING, id: '', body, form: 'jsonl' },
  } as const;
  const answer = await answerRequest(service().deps, { ...victim.passed, ...wanted });
  if (answer.kind !== 'stream') throw new Error('no stream');
  const first = await answer.chunks.next();
  victim.revoke();
  await expect(answer.chunks.next()).rejects.toMatchObject({ code: 'tokenRevoked' });
  const count = first.done === true ? 0 : first.value.count;
  const { charged } = await chargedAtEnd(victim);
  expect([count > 0, charged]).toEqual([true, BigInt(count) * 1_000n]);
});

test('wallets that were charged before and did not arrive are not made another time', async () => {
  const { caller, passed, revoke } = await newVictim();
  const context = { ...service().deps, caller, signal: passed.signal, claim: NO_CLAIM };
  const dropped: number[] = [];
  const keys = { ...context.keys, drop: ({ count }: { readonly count: number }) => void dropped.push(count) };
  const made = (async function* () {
    for (const count of [1, 2, 3]) yield { count, bytes: Buffer.alloc(count) };
  })() as unknown as KeyChunks;
  const stream = replacementStream({ ...context, keys }, made);
  expect((await stream.next()).value).toMatchObject({ count: 1 });
  revoke();
  await expect(stream.next()).rejects.toMatchObject({ code: 'tokenRevoked' });
  expect(dropped).toEqual([1, 2]);
});

test.each([
  ['a managed wallet', 'create', 1, '/v1/wallets', { custody: 'managed' }],
  ['a small tree', 'derive', 2, '/v1/wallets/hd', { custody: 'managed', accounts: { count: 2 } }],
] as const)(
  '%s is neither stored nor charged if the token is revoked while the signer works',
  async (...row) => {
    const [, what, times, path, body] = row;
    const victim = await newVictim();
    victim.revokeWhen(what, times);
    const answer = await victim.send('POST', path, body);
    expect([answer.status, await answer.json()]).toMatchObject([401, { code: 'token_revoked' }]);
    expect([await victim.stored(), (await victim.balance()).charged]).toEqual([0, 0n]);
  },
);

test('a signature is not given out, and not charged, if the token is revoked while the signer works', async () => {
  const victim = await newVictim();
  const made = await victim.send('POST', '/v1/wallets', { custody: 'managed' });
  const { wallet_id: id } = (await made.json()) as { readonly wallet_id: string };
  const { charged } = await victim.balance();
  victim.revokeWhen('sign', 1);
  const answer = await victim.send('POST', `/v1/wallets/${id}/sign`, { message: 'aGk=' });
  expect([answer.status, await answer.json()]).toMatchObject([401, { code: 'token_revoked' }]);
  expect((await victim.balance()).charged).toBe(charged);
});

test('a wallet is not destroyed if the token is revoked after the request was let in', async () => {
  const victim = await newVictim();
  const made = await victim.client.createWallet({ custody: 'managed' });
  const id = made.custody === 'managed' ? made.wallet_id : '';
  victim.revoke();
  const asking = { ...NOTHING, id, body: undefined, form: 'json', twoFactorCode: victim.code() } as const;
  const wanted = { operation: 'destroyWallet', request: asking } as const;
  const destroyed = answerRequest(service().deps, { ...victim.passed, ...wanted });
  await expect(destroyed).rejects.toMatchObject({ code: 'tokenRevoked' });
  expect(await victim.stored()).toBe(1);
});

test('a request whose token is revoked while its body is on its way is refused, however soon the body comes', async () => {
  const { token, revoke, stored } = await newVictim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = request(`${service().baseUrl}/v1/wallets`, {
    method: 'POST',
    headers: { ...headers, expect: '100-continue' },
  });
  sent.flushHeaders();
  await once(sent, 'continue');
  revoke();
  sent.end(JSON.stringify({ custody: 'client' }));
  const [answer] = await once(sent, 'response');
  expect([answer.statusCode, await json(answer)]).toMatchObject([401, { code: 'token_revoked' }]);
  expect(await stored()).toBe(0);
});
