import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import type { Signer } from '../../src/signer/signer.ts';
import { sql } from '../../src/store/drizzle.ts';
import { type LostCommits, startLostCommits } from '../support/lost-commits.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { type TestAccount, useWalletService } from './use-service.ts';

// A connection to PostgreSQL breaks between a commit and its answer: nobody is refused what was done, and nothing is charged twice.

const MINUTE_MS = 60_000;
/** Ends work that has a key. */
const FINISHING = /update "idempotency_keys" set "status"/;
const CLAIMING = /insert into "idempotency_keys"/;
const DESTROYING = /delete from wallets/;
const CHARGING_GROUP = /update "reservations" set/;
const STORING_KEYS = /delete from "key_intents"/;

const postgresUrl = await findPostgres();
if (postgresUrl === undefined)
  test('answers of PostgreSQL that are lost', (context) => context.skip(POSTGRES_MISSING));
else {
  const database = await createDatabase(postgresUrl);
  const commits = await startLostCommits(database.url);
  afterAll(async () => {
    await commits.close();
    await database.drop();
  });
  describe('answers of PostgreSQL that are lost', () => describeLosses(commits));
}

function describeLosses(commits: LostCommits): void {
  let keysIn: 'row' | 'token' = 'row';
  const withKeysIn = (signer: Signer): Signer => ({
    ...signer,
    capabilities: () => ({ ...signer.capabilities(), keysIn }),
  });
  const service = useWalletService({ databaseUrl: commits.url, withSigner: withKeysIn });

  type Request = { readonly path: string; readonly body: object; readonly headers?: Record<string, string> };

  /** Sends a request under a key until nobody works on it. @returns status and text; none of an answer that broke off. */
  const ask = ({ send }: TestAccount, { path, body, headers = {} }: Request) =>
    eventually('the key is not in use', async () => {
      const answer = await send('POST', `/v1/wallets${path}`, body, { 'idempotency-key': 'k', ...headers });
      const text = await answer.text().catch(() => undefined);
      return text?.includes('idempotency_key_in_use') === true ? undefined : { status: answer.status, text };
    });

  const newWallet = async ({ client }: TestAccount, path: '' | '/hd' = ''): Promise<string> => {
    const made =
      path === ''
        ? await client.createWallet({ custody: 'managed' })
        : (await client.createHdWallets({ custody: 'managed' })).master;
    return made?.custody === 'managed' ? made.wallet_id : '';
  };

  const destroy = async ({ send, code }: TestAccount, id: string): Promise<number> => {
    service().clock.set(service().clock.nowMs() + MINUTE_MS);
    return (await send('DELETE', `/v1/wallets/${id}`, undefined, { 'x-two-factor-code': code() })).status;
  };

  const areWaiting = async (count: number): Promise<true | undefined> => {
    const { rows } = await service().store.db.execute(
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length >= count ? true : undefined;
  };
  const waiting = () => areWaiting(1);

  const of = ({ id: accountId }: TestAccount, statements: RegExp) => ({ accountId, statements });
  const managed = { custody: 'managed' } as const;
  test.each([
    ['a wallet', async () => ({ path: '', body: managed }), 1],
    ['a batch', async () => ({ path: '/batch', body: { ...managed, count: 3 } }), 3],
    ['a tree', async () => ({ path: '/hd', body: { ...managed, accounts: { count: 3 } } }), 4],
    [
      'children',
      async (account: TestAccount) => {
        const master_wallet_id = await newWallet(account, '/hd');
        return { path: '/hd', body: { master_wallet_id, accounts: { start: 1, count: 3 } } };
      },
      5,
    ],
    [
      'a signature',
      async (account: TestAccount) => {
        const id = await newWallet(account);
        return { path: `/${id}/sign`, body: { message: 'aGk=' } };
      },
      1,
    ],
  ])('%s of the signer is given to who asks again, and charged once', async (what, prepare, created) => {
    const [account, plain] = [await service().newAccount(), await service().newAccount()];
    const request = await prepare(account);
    const price = await ask(plain, await prepare(plain)).then(() => plain.balance());
    for (const loss of [CLAIMING, FINISHING]) {
      const lost = commits.loseAnswer(of(account, loss));
      const first = await ask(account, request);
      await lost;
      expect(first.status === 503 || first.text === undefined).toBe(true);
    }
    const again = await ask(account, request);
    expect(again).toEqual({ status: what === 'a wallet' ? 201 : 200, text: expect.any(String) });
    expect((await ask(account, request)).text).toBe(again.text);
    expect(await account.balance()).toMatchObject({ charged: price.charged, reserved: 0n });
    const creations = (await account.log()).filter((line) => line === 'create ok');
    expect(creations).toHaveLength(created);
  });

  test('a wallet whose secret was charged and is gone is made again, once', async () => {
    const account = await service().newAccount();
    const request = { path: '', body: {} };
    const lost = commits.loseAnswer(of(account, FINISHING));
    expect((await ask(account, request)).status).toBe(503);
    await lost;
    const again = { ...request, headers: { 'x-wallets-received': '0' } };
    expect((await ask(account, again)).status).toBe(201);
    expect((await account.balance()).charged).toBe(1_000n);
  });

  test('keys in a token are kept whose wallet PostgreSQL stores late', async () => {
    const account = await service().newAccount();
    keysIn = 'token';
    const request = { path: '', body: managed };
    const delayed = commits.delayCommit(of(account, STORING_KEYS));
    const first = ask(account, request);
    const carryOut = await delayed;
    await Promise.race([first, eventually('it waits for what was begun', waiting)]);
    await carryOut();
    expect((await first).status).toBe(503);
    const again = await ask(account, request);
    keysIn = 'row';
    expect(again.status).toBe(201);
    const { wallet_id: id } = JSON.parse(again.text ?? '') as { wallet_id: string };
    expect((await account.send('POST', `/v1/wallets/${id}/sign`, { message: 'aGk=' })).status).toBe(200);
  });

  test('a key of a request is free, at every server, that PostgreSQL claims late', async () => {
    const account = await service().newAccount();
    const delayed = commits.delayCommit(of(account, CLAIMING));
    const first = ask(account, { path: '', body: managed });
    const carryOut = await delayed;
    expect((await first).status).toBe(503);
    await eventually('it waits for what was begun', waiting);
    await carryOut();
    await eventually('nobody holds the key', async () => {
      const { rows } = await service().store.db.execute(
        sql`select from idempotency_keys where account_id = ${account.id} and owner_id is not null`,
      );
      return rows.length === 0 ? true : undefined;
    });
  });

  test.each([
    ['its reservation', 1],
    ['its reservation and its key', 2],
  ])(
    'a group that PostgreSQL stores late is charged once, if %s cannot be given back',
    async (_what, losses) => {
      const { store } = service();
      const sameLane = vi.spyOn(store, 'ofAccount').mockReturnValue(store);
      onTestFinished(() => sameLane.mockRestore());
      const account = await service().newAccount();
      const request = { path: '/batch', body: { ...managed, count: 200 } };
      const delayed = commits.delayCommit(of(account, CHARGING_GROUP));
      const first = ask(account, request);
      const carryOut = await delayed;
      const transaction = vi.spyOn(store, 'transaction');
      for (let loss = 0; loss < losses; loss += 1)
        transaction.mockRejectedValueOnce(new Error('Connection terminated unexpectedly'));
      await eventually('it waits for what was begun', waiting);
      const second = losses === 1 ? undefined : ask(account, request);
      await eventually('the others wait too', () => areWaiting(losses === 1 ? 1 : 3));
      await carryOut();
      transaction.mockRestore();
      await Promise.all([first, second]);
      const again = await ask(account, request);
      expect(again.status).toBe(200);
      expect(again.text?.trim().split('\n')).toHaveLength(200);
      const creations = (await account.log()).filter((line) => line === 'create ok');
      expect(creations).toHaveLength(200);
      expect((await account.balance()).charged).toBe(200_000n);
    },
  );

  test.each(['loseAnswer', 'loseCommit', 'delayCommit'] as const)(
    'a destruction is never refused that is done, and is recorded once: %s',
    async (loss) => {
      const account = await service().newAccount();
      const id = await newWallet(account);
      const lost: Promise<unknown> = commits[loss](of(account, DESTROYING));
      const first = destroy(account, id);
      const carryOut = await lost;
      if (typeof carryOut === 'function') {
        await Promise.race([first, eventually('it waits for what was begun', waiting)]);
        await carryOut();
      }
      expect(await first).toBe(503);
      await eventually('the wallet is gone', async () =>
        (await account.send('GET', `/v1/wallets/${id}`)).status === 404 ? true : undefined,
      );
      expect([200, 404]).toContain(await destroy(account, id));
      expect((await account.log()).filter((line) => line === 'destroy ok')).toHaveLength(1);
      expect(await destroy(account, id)).toBe(404);
    },
  );
}
