import { join } from 'node:path';
import { pino } from 'pino';
import { expect } from 'vitest';
import { eq } from '../../../src/store/drizzle.ts';
import { createNativeEngine } from '../../../src/core/keys/native-engine.ts';
import { openOwnMasterKeys } from '../../../src/signer/hsm/soft/own-master-keys.ts';
import { createSealer } from '../../../src/signer/hsm/soft/open-configured-soft.ts';
import { idempotencyKeys } from '../../../src/store/access-tables.ts';
import { auditRecords } from '../../../src/store/audit-tables.ts';
import { bookAccounts, ledgerTransactions, operationCounts } from '../../../src/store/money-tables.ts';
import { openStore, type Store } from '../../../src/store/open-store.ts';
import { wallets } from '../../../src/store/wallet-tables.ts';
import { expectRecordedCharges } from '../../account/billing/books/recorded-charges.ts';
import type { Clients } from './managed-work.ts';

/** Micro-USD per unit: interface.md section 8. */
const PRICES: Readonly<Record<string, bigint>> = {
  wallet_creation: 1000n,
  hd_child_derivation: 500n,
  managed_signing: 100n,
  hd_master_creation: 0n,
};

type Where = { readonly dataDir: string; readonly databaseUrl: string | undefined };

/**
 * Opens the store of a server that is gone and holds it against what clients were told: every wallet is there, has one audit record
 * and was charged once, and nothing else was charged but the signatures of the audit log. A master has children.
 */
export async function assertStoreHolds(where: Where, clients: Clients): Promise<void> {
  const store = await openStore(where, pino({ level: 'silent' }));
  try {
    const rows = await store.db.select().from(wallets);
    const records = await store.db.select().from(auditRecords);
    assertToldAreThere(rows, clients);
    await assertCharged(store, rows, records);
    const signed = records.filter(({ action, outcome }) => action === 'sign' && outcome === 'ok');
    expect(signed.length).toBeGreaterThanOrEqual(clients.signs.filter(({ isDone }) => isDone).length);
    expect(signed.length).toBeLessThanOrEqual(clients.signs.length);
    await assertWorkIsWhole(store, clients);
  } finally {
    await store.close();
  }
}

/** Opens the key of every wallet of the store, without the server, and holds it against its address. */
export async function assertKeysOpen(where: Where): Promise<number> {
  const store = await openStore(where, pino({ level: 'silent' }));
  try {
    const rows = await store.db.select().from(wallets);
    const masters = await openOwnMasterKeys(join(where.dataDir, 'signer'), { isFirstStart: false });
    const [sealer, ed25519] = [createSealer(), createNativeEngine()];
    const wrong = rows.filter(({ id: walletId, accountId, sealed, publicKey }) => {
      const key = { walletId, accountId, sealed: sealed ?? Buffer.alloc(0) };
      // Of a master node the first half is the private key.
      const own = sealer.open(masters.keys(), key, (secret) => ed25519.publicKey(secret.subarray(0, 32)));
      return Buffer.compare(own, publicKey) !== 0;
    });
    expect(wrong).toEqual([]);
    return rows.length;
  } finally {
    await store.close();
  }
}

type WalletRow = typeof wallets.$inferSelect;
type AuditRow = typeof auditRecords.$inferSelect;

function assertToldAreThere(rows: readonly WalletRow[], { told }: Clients): void {
  const addresses = new Map(rows.map(({ id, address }) => [id, address]));
  expect(told.filter(({ wallet_id, address }) => addresses.get(wallet_id) !== address)).toEqual([]);
  expect(new Set(told.map(({ wallet_id }) => wallet_id)).size).toBe(told.length);
}

async function assertCharged(
  store: Store,
  rows: readonly WalletRow[],
  records: readonly AuditRow[],
): Promise<void> {
  const { db } = store;
  const parents = new Set(rows.map(({ masterId }) => masterId));
  expect(rows.filter(({ id, kind }) => kind === 'master' && !parents.has(id))).toEqual([]);
  const ok = records.filter(({ outcome }) => outcome === 'ok');
  const created = ok.filter(({ action }) => action === 'create').map(({ walletId }) => walletId);
  expect(created.sort()).toEqual(rows.map(({ id }) => id).sort());
  const done: Readonly<Record<string, number>> = {
    wallet_creation: rows.filter(({ kind }) => kind === 'single').length,
    hd_child_derivation: rows.filter(({ kind }) => kind === 'child').length,
    managed_signing: ok.filter(({ action }) => action === 'sign').length,
    hd_master_creation: rows.filter(({ kind }) => kind === 'master').length,
  };
  const counts = await db.select().from(operationCounts);
  const counted = Object.fromEntries(counts.map(({ operation, units }) => [operation, Number(units)]));
  expect({ ...zeros(done), ...counted }).toEqual(done);
  const price = Object.entries(done).reduce((sum, [name, n]) => sum + BigInt(n) * (PRICES[name] ?? 0n), 0n);
  const revenues = await db.select().from(bookAccounts).where(eq(bookAccounts.kind, 'revenue'));
  expect(revenues.reduce((sum, { balance }) => sum + balance, 0n)).toBe(price);
  const charges = await db.select().from(ledgerTransactions).where(eq(ledgerTransactions.kind, 'charge'));
  const written = charges.reduce(
    (sum, { operation, units }) => sum + (units ?? 0n) * (PRICES[operation ?? ''] ?? 0n),
    0n,
  );
  expect(written).toBe(price);
  await expectRecordedCharges(store);
}

/** Work that a client has whole has exactly the wallets that were asked for, however often it was begun. */
async function assertWorkIsWhole({ db }: Store, { streams }: Clients): Promise<void> {
  const keys = await db.select().from(idempotencyKeys);
  const rows = await db.select({ workId: wallets.workId }).from(wallets);
  for (const { key, lines, isDone } of streams) {
    if (key === undefined || !isDone) continue;
    const workId = keys.find((one) => one.key === key)?.workId;
    expect(rows.filter((row) => row.workId === workId)).toHaveLength(lines);
  }
}

const zeros = (names: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.keys(names).map((name) => [name, 0]));
