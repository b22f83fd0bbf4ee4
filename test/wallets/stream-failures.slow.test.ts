import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eq } from '../../src/store/drizzle.ts';
import { auditRecords } from '../../src/store/audit-tables.ts';
import type { StoreOptions } from '../../src/store/open-store.ts';
import { wallets } from '../../src/store/wallet-tables.ts';
import { eventually } from '../../src/core/eventually.ts';
import { newLostDatabase } from '../support/lost-database.ts';
import { findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { readFirst, readLines } from './streams/read-lines.ts';
import { startUnixService, type UnixService } from './streams/unix-service.ts';
import { signerPidOf } from '../lab/gateways/signer-pid.ts';

const COUNT = 10_000;
const MANAGED = { count: COUNT, custody: 'managed' };

async function newPlace(): Promise<StoreOptions> {
  const dataDir = await mkdtemp(join(tmpdir(), 'keyslot-streams-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return { dataDir };
}

/** Waits until nothing is set aside any more; how many wallets were charged for. */
const settledCharge = (service: UnixService): Promise<number> =>
  eventually('the work is settled', async () => {
    const { reserved, charged, operations } = await service.balance();
    if (reserved !== 0n || charged === 0n) return undefined;
    expect(charged).toBe((operations.wallet_creation ?? 0n) * 1000n);
    return Number(operations.wallet_creation);
  });

test('a signer that is gone for good breaks a managed batch off, and delivered wallets are charged', async () => {
  const place = await newPlace();
  const service = await startUnixService(place);
  const answer = await service.post('/batch', MANAGED);
  const first = await readFirst(answer);
  // Without its master key no signer starts again.
  await writeFile(join(place.dataDir, 'signer', 'master.key'), 'damaged');
  process.kill(signerPidOf(process.pid), 'SIGKILL');
  const { lines, isWhole } = await readLines(answer);
  const told = first.split('\n').length - 1 + lines.length;
  expect(isWhole).toBe(false);
  const stored = await service.store.db.select().from(wallets);
  expect(stored.length).toBeGreaterThanOrEqual(told - 1);
  expect(stored.length).toBeLessThan(COUNT);
  expect(await settledCharge(service)).toBe(stored.length);

  const refused = await service.post('/batch', { count: 1, custody: 'managed' });
  expect(refused.statusCode).toBe(503);
  const isRefused = eq(auditRecords.outcome, 'signer_unavailable');
  expect(await service.store.db.select().from(auditRecords).where(isRefused)).toHaveLength(2);
});

test('a store that goes away breaks a client batch off; what was sent is charged when it is back', async (context) => {
  const postgresUrl = await findPostgres();
  if (postgresUrl === undefined) return context.skip(POSTGRES_MISSING);
  const database = await newLostDatabase(postgresUrl);
  const service = await startUnixService({ ...(await newPlace()), databaseUrl: database.url });
  const headers = { 'idempotency-key': randomUUID() };
  const answer = await service.post('/batch', { count: COUNT }, headers);
  const first = await readFirst(answer);
  await database.takeAway();
  const { lines, isWhole } = await readLines(answer);
  const told = first.split('\n').length - 1 + lines.length;
  expect(isWhole).toBe(false);
  await database.giveBack();
  const charged = await settledCharge(service);
  expect(charged).toBeGreaterThanOrEqual(told);
  expect(charged).toBeLessThanOrEqual(service.handedOver());
  const again = await service.post('/batch', { count: COUNT }, headers);
  expect(again.statusCode).toBe(409);
});

test('a store that goes away breaks a managed batch off; the same request continues with it when it is back', async (context) => {
  const postgresUrl = await findPostgres();
  if (postgresUrl === undefined) return context.skip(POSTGRES_MISSING);
  const database = await newLostDatabase(postgresUrl);
  const service = await startUnixService({ ...(await newPlace()), databaseUrl: database.url });
  const headers = { 'idempotency-key': randomUUID() };
  const answer = await service.post('/batch', MANAGED, headers);
  const first = await readFirst(answer);
  await database.takeAway();
  const broken = await readLines(answer);
  expect(broken.isWhole).toBe(false);
  await database.giveBack();
  const told = (first + broken.lines.map((line) => `${line}\n`).join('')).split('\n').slice(0, -1);
  const whole = await readLines(await service.post('/batch', MANAGED, headers));
  expect([whole.isWhole, whole.lines.length]).toEqual([true, COUNT]);
  expect(whole.lines.slice(0, told.length)).toEqual(told);
  expect(await settledCharge(service)).toBe(COUNT);
  expect(await service.store.db.select().from(wallets)).toHaveLength(COUNT);
});
