import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { newLostDatabase } from '../support/lost-database.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { metric, nextServed, servedParts, twoParts } from './served-parts.ts';
import { startWalletServer } from './wallet-server.ts';

const postgresUrl = await findPostgres();
const directory = useNewDirectory();

const KEYS = ['master.key', 'installation.key'] as const;

/** Settings of servers on one PostgreSQL. */
function shareKeys(databaseUrl: string): Readonly<Record<string, string>> {
  const [master = '', installation = ''] = KEYS.map((name) => join(directory(), name));
  writeFileSync(master, randomBytes(32), { mode: 0o600 });
  writeFileSync(installation, randomBytes(32).toString('hex'), { mode: 0o600 });
  return {
    KEYSLOT_DATABASE_URL: databaseUrl,
    KEYSLOT_HSM_MASTER_KEY_FILE: master,
    KEYSLOT_INSTALLATION_KEY_FILE: installation,
  };
}

test('a store that is gone counts as down, and nothing has to be done when it is back', async ({ skip }) => {
  if (postgresUrl === undefined) return skip(POSTGRES_MISSING);
  const { url, takeAway, giveBack } = await newLostDatabase(postgresUrl);
  const server = await startWalletServer({ env: { KEYSLOT_DATABASE_URL: url } });
  await nextServed(url);
  await takeAway();
  const down = await twoParts();
  await giveBack();
  await nextServed(url);
  const served = await servedParts(url);
  expect(down.map((part) => served.has(part))).toEqual([false, false]);
  expect(await metric(server, 'keyslot_service_proofs_total{outcome="store"}')).toBeGreaterThanOrEqual(2);
  await eventually('it is logged', () =>
    server.written().includes('serving wallets again') ? true : undefined,
  );
});

test('one of two servers that is killed is not missed', async ({ skip }) => {
  if (postgresUrl === undefined) return skip(POSTGRES_MISSING);
  const { url } = await newLostDatabase(postgresUrl);
  const env = shareKeys(url);
  const [first, second] = [await startWalletServer({ env }), await startWalletServer({ env })];
  expect(second.pid()).not.toBe(first.pid());
  await nextServed(url);
  await first.kill();
  const down = await twoParts();
  await nextServed(url);
  const served = await servedParts(url);
  expect(down.map((part) => served.has(part))).toEqual([true, true]);
});
