import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { newLostDatabase } from '../support/lost-database.ts';
import { findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { query } from './live/query.ts';
import { ACCOUNT } from './open-wallet-server.ts';
import { signerPidOf } from '../lab/gateways/signer-pid.ts';
import { metric, nextServed, servedParts, twoParts } from './served-parts.ts';
import { startWalletServer } from './wallet-server.ts';

const postgresUrl = await findPostgres();

test('a server that was killed counts as down when it is up again', async ({ skip }) => {
  if (postgresUrl === undefined) return skip(POSTGRES_MISSING);
  const { url } = await newLostDatabase(postgresUrl);
  const server = await startWalletServer({ env: { KEYSLOT_DATABASE_URL: url } });
  await nextServed(url);
  await server.kill();
  const down = await twoParts();
  await server.start();
  await nextServed(url);
  const served = await servedParts(url);
  expect(down.map((part) => served.has(part))).toEqual([false, false]);
  expect(await server.ask({ kind: 'availability' })).toMatchObject({ target_percent: '99.9500' });
});

test('a signer that is gone counts, and so do the requests that fail without it', async ({ skip }) => {
  if (postgresUrl === undefined) return skip(POSTGRES_MISSING);
  const { url } = await newLostDatabase(postgresUrl);
  const server = await startWalletServer({ env: { KEYSLOT_DATABASE_URL: url } });
  const made = await server.send('', { custody: 'managed' });
  expect(made.ok).toBe(true);
  const { wallet_id: id } = (await made.json()) as { readonly wallet_id: string };
  await nextServed(url);
  // Without its master key no signer starts again.
  writeFileSync(join(server.dataDir, 'signer', 'master.key'), 'damaged');
  process.kill(signerPidOf(server.pid()), 'SIGKILL');
  const down = await twoParts();
  expect((await server.send(`/${id}/sign`, { message: 'aGk=' })).status).toBe(503);
  const counts = await eventually('the requests are counted', async () => {
    const rows = await query(
      url,
      `select sum(requests)::int as requests, sum(failed)::int as failed from wallet_minutes m
        join accounts a on a.id = m.account_id where a.name = '${ACCOUNT}'`,
    );
    const [row] = rows as readonly { readonly requests: number; readonly failed: number }[];
    return row?.failed === 1 ? row : undefined;
  });
  expect(counts).toEqual({ requests: 2, failed: 1 });
  const served = await servedParts(url);
  expect(down.map((part) => served.has(part))).toEqual([false, false]);
  expect(await metric(server, 'keyslot_service_proofs_total{outcome="signer"}')).toBeGreaterThanOrEqual(2);
  expect(await metric(server, 'keyslot_service_last_proof_age_seconds')).toBeGreaterThan(5);
  expect(server.written()).toContain('cannot serve wallets: this time counts as downtime');
});
