import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAccountClient } from '../../../generated/account/client.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../../support/postgres.ts';
import { createToken } from '../../support/wallet-account.ts';
import { ledgerCallOf } from './sessions/call-ledger.ts';
import { startMemberServer } from './sessions/member-server.ts';

/** A test starts two servers. */

const directory = useNewDirectory();
const postgresUrl = await findPostgres();

const call = async (server: RunningKeyslot, apiKey: string, times: number): Promise<void> => {
  for (let sent = 0; sent < times; sent += 1) expect(await ledgerCallOf(server)(apiKey)).toBe(200);
};

test('the calls of two servers on one PostgreSQL add up; a killed one loses what is not stored yet, and no more', async ({
  skip,
}) => {
  if (postgresUrl === undefined) return skip(POSTGRES_MISSING);
  const database = await createDatabase(postgresUrl);
  onTestFinished(database.drop);
  const [masterKey, installationKey] = ['master.key', 'installation.key'].map((name) =>
    join(directory(), name),
  );
  writeFileSync(String(masterKey), randomBytes(32), { mode: 0o600 });
  writeFileSync(String(installationKey), randomBytes(32).toString('hex'), { mode: 0o600 });
  const start = async (): Promise<RunningKeyslot> => {
    const server = await startKeyslot({
      env: {
        KEYSLOT_DATABASE_URL: database.url,
        KEYSLOT_HSM_MASTER_KEY_FILE: String(masterKey),
        KEYSLOT_INSTALLATION_KEY_FILE: String(installationKey),
      },
    });
    onTestFinished(server.stop);
    return server;
  };
  const [first, second] = [await start(), await start()];
  const { token } = await createToken(first.dataDir, 'acme', { scopes: ['account:read', 'keys:manage'] });
  const clientOf = ({ baseUrl }: RunningKeyslot) => createAccountClient({ url: baseUrl, token });
  const { api_key } = await clientOf(first).createKey({ name: 'own' });
  await eventually('the other server has heard of the key', async () =>
    (await ledgerCallOf(second)(api_key)) === 200 ? true : undefined,
  );
  const spansAt = async (server: RunningKeyslot) =>
    (await clientOf(server).listNetworks()).networks[0]?.spans ?? [];
  await eventually('the other server has heard of the token', () =>
    spansAt(second).then(
      () => true,
      () => undefined,
    ),
  );
  const before = (await spansAt(second))[0]?.calls ?? 0;
  await call(first, api_key, 3);
  await call(second, api_key, 2);
  await spansAt(first);
  for (const { calls, errors, p99_ms, own } of await spansAt(second)) {
    expect([calls, errors]).toEqual([before + 5, 0]);
    expect(p99_ms).toBeGreaterThan(0);
    expect(own).toEqual({ calls: before + 5, errors: 0, caller_errors: 0, refused: 0 });
  }
  await call(first, api_key, 4);
  process.kill(first.pid, 'SIGKILL');
  const [hour] = await spansAt(second);
  expect(hour?.calls).toBeGreaterThanOrEqual(before + 5);
  expect(hour?.calls).toBeLessThanOrEqual(before + 9);
});

test('120 calls of an unknown method and a message that is no call are no errors of the server, and all are counted', async () => {
  const server = await startKeyslot();
  onTestFinished(server.stop);
  const { token } = await createToken(server.dataDir, 'acme', { scopes: ['account:read', 'keys:manage'] });
  const client = createAccountClient({ url: server.baseUrl, token });
  const { api_key } = await client.createKey({ name: 'own' });
  const before = (await client.listNetworks()).networks[0]?.spans[0];
  const address = new URL(server.rpcUrl);
  address.searchParams.set('apikey', api_key);
  const send = (body: unknown) =>
    fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const unknown = Array.from({ length: 60 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'getBalence' }));
  for (const body of [unknown, unknown, [1], { jsonrpc: '2.0', id: 1, method: 'getSlot' }])
    expect((await send(body)).status).toBe(200);
  const after = (await client.listNetworks()).networks[0]?.spans[0];
  expect(after?.own).toEqual({ calls: 122, errors: 0, caller_errors: 121, refused: 0 });
  expect([Number(after?.calls) - Number(before?.calls), after?.errors]).toEqual([122, 0]);
});

test('a session is told where the topic streams are', async ({ skip }) => {
  if (postgresUrl === undefined) return skip(POSTGRES_MISSING);
  await using world = await startMemberServer(postgresUrl);
  const owner = await world.members.newOwner(await world.members.accountIdOf('acme'));
  const session = await world.members.newSession(owner);
  const { body } = await world.send('GET', '/account/v1/session', { session });
  expect(body.grpc_url).toBe(world.server.grpcUrl);
});
