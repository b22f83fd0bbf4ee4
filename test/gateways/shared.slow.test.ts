import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Secret, TOTP } from 'otpauth';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStreamClient } from '../../generated/stream/package.ts';
import { eventually } from '../../src/core/eventually.ts';
import { openCopySource } from '../../src/store/copy/copy-source.ts';
import { startBusyMachineClock } from '../support/busy-machine-clock.ts';
import { SILENT } from '../store/backends.ts';
import { startLocalnet } from '../support/keyslot.ts';
import { openSocket } from '../support/socket-client.ts';
import { ROOT } from '../support/source-files.ts';
import { command, enrol } from '../support/wallet-account.ts';
import {
  bearer,
  call,
  createBatch,
  createCustomer,
  createKey,
  createWallet,
  endOf,
  listStatus,
  readMoney,
  sign,
} from './customer.ts';
import type { Gateway } from '../lab/gateways/gateway.ts';
import { GATEWAYS_MISSING, type Gateways, startGateways } from './start-gateways.ts';

/** The longest time until a revocation holds everywhere. */
const PROMISED_MS = 1_000;

if (GATEWAYS_MISSING === undefined) describe('two gateways of one installation', share);
else test('two gateways of one installation', (context) => context.skip(GATEWAYS_MISSING));

function share(): void {
  const started = new AsyncDisposableStack();
  let gateways: Gateways;
  beforeAll(async () => {
    const node = await startLocalnet({ args: ['--slot-ms', '100'] });
    started.defer(node.stop);
    gateways = await startGateways({ upstreamUrl: node.rpcUrl });
    started.defer(gateways.remove);
  });
  afterAll(() => started.disposeAsync());

  test('a key that one revokes is refused by the other within a second: HTTP, WebSocket and gRPC', async () => {
    const { one, other } = gateways;
    const { id, key } = await createKey(gateways, 'acme');
    const socket = await openSocket(`${other.wsUrl}?apikey=${key}`);
    const streams = createStreamClient({ url: other.grpcUrl, apiKey: key });
    const messages = streams.subscribe('slots');
    await messages.next();
    const streamEnds = endOf(messages);

    await command(one.dataDir, ['keys', 'revoke', id]);
    using since = startBusyMachineClock();
    const took = <T>(result: T) => ({ result, isInTime: since.elapsedMs() < PROMISED_MS });
    const ends = await Promise.all([
      eventually(
        'HTTP refuses',
        async () => (await call(other, key, 'getSlot')).status === 401 || undefined,
        {
          intervalMs: 5,
        },
      ).then(took),
      socket.closed.then(({ code }) => took(code)),
      streamEnds.then(took),
    ]);
    streams.close();
    expect(ends).toEqual([
      { result: true, isInTime: true },
      { result: 4001, isInTime: true },
      { result: 'apiKeyRevoked', isInTime: true },
    ]);
  });

  test('an access token that one revokes is refused by the other within a second: HTTP and gRPC', async () => {
    const { one, other } = gateways;
    const { account, id, token } = await createCustomer(gateways);
    const { key } = await createKey(gateways, account);
    const { body } = await createWallet(one, token);
    const streams = createStreamClient({ url: other.grpcUrl, apiKey: key, token });
    const { body: slot } = await call(other, key, 'getSlot');
    const messages = streams.subscribe('wallet-activity', { resumeSlot: BigInt(Number(slot.result)) });
    await call(other, key, 'requestAirdrop', [body.address, 1_000_000]);
    await messages.next();

    await command(one.dataDir, ['tokens', 'revoke', id]);
    using since = startBusyMachineClock();
    const refused = async () => (await listStatus(other, token)) === 401 || undefined;
    await Promise.all([
      eventually('the other refuses', refused, { intervalMs: 5 }),
      endOf(messages).then((error) => expect(error).toBe('tokenRevoked')),
    ]);
    expect(since.elapsedMs()).toBeLessThan(PROMISED_MS);
    streams.close();
  });

  test('a creation that is repeated at the other returns the same wallets and charges once', async () => {
    const { one, other } = gateways;
    const { account, token } = await createCustomer(gateways);
    const key = randomUUID();
    const create = (gateway: Gateway) => createBatch(gateway, token, 100, key);
    const first = await create(one);
    const money = await readMoney(one, account);
    expect(first.status).toBe(200);
    expect(money.chargedUsd).toBeGreaterThan(0);
    expect(await create(other)).toEqual(first);
    expect(await readMoney(other, account)).toEqual(money);
  });

  test('a creation that reaches both at once is done by one of them and charged once', async () => {
    const { one, other } = gateways;
    const { account, token } = await createCustomer(gateways);
    const key = randomUUID();
    const create = (gateway: Gateway) => createWallet(gateway, token, key);
    const answers = await Promise.all([one, other, one, other].map(create));
    const made = answers.filter(({ status }) => status === 201);
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    expect(new Set(made.map(({ body }) => body.wallet_id)).size).toBe(1);
    const later = await create(other);
    expect([later.status, later.body.wallet_id]).toEqual([201, made[0]?.body.wallet_id]);
    const { chargedUsd: once } = await readMoney(one, account);
    expect((await createWallet(one, token)).status).toBe(201);
    expect((await readMoney(one, account)).chargedUsd).toBeCloseTo(2 * once, 6);
  });

  test('each has as many connections that listen as operate.md says, and a move of the store finds them', async () => {
    const { one } = gateways;
    const store = { dataDir: '', databaseUrl: one.env.KEYSLOT_DATABASE_URL };
    const source = await openCopySource(store, SILENT);
    expect(await source.isServed()).toBe(true);
    await source.close();
    const client = new pg.Client({ connectionString: store.databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name = 'keyslot listener'",
    );
    await client.end();
    const said = /(\d+) more that listen for changes/.exec(
      readFileSync(new URL('docs/operate.md', ROOT), 'utf8'),
    )?.[1];
    expect(rows).toEqual([{ count: 2 * Number(said) }]);
  });

  test('a code that one has accepted is refused by the other, and what it destroyed does not sign there', async () => {
    const { one, other } = gateways;
    const { account, token } = await createCustomer(gateways);
    const secret = Secret.fromBase32(await enrol(one.dataDir, account));
    const make = async () => String((await createWallet(one, token)).body.wallet_id);
    const signStatus = async (gateway: Gateway, id: string) => (await sign(gateway, token, id)).status;
    const [gone, kept] = [await make(), await make()];
    expect([await signStatus(other, gone), await signStatus(other, kept)]).toEqual([200, 200]);
    const code = new TOTP({ secret }).generate();
    const destroy = async ({ baseUrl }: Gateway, id: string) => {
      const headers = { ...bearer(token), 'x-two-factor-code': code };
      const answer = await fetch(`${baseUrl}/v1/wallets/${id}`, { method: 'DELETE', headers });
      return { ok: answer.ok, body: await answer.text() };
    };
    expect(await destroy(one, gone)).toMatchObject({ ok: true });
    const refused = await destroy(other, kept);
    expect([refused.ok, (JSON.parse(refused.body) as { code: string }).code]).toEqual([
      false,
      'two_factor_invalid',
    ]);
    expect([await signStatus(other, gone), await signStatus(other, kept)]).toEqual([404, 200]);
  });
}
