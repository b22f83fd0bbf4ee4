import { randomUUID } from 'node:crypto';
import { eq } from '../../../src/store/drizzle.ts';
import pino from 'pino';
import { joinGateways } from '../../../src/account/processes/gateway.ts';
import { createMoney } from '../../../src/account/billing/books/money.ts';
import { credit } from '../../../src/account/billing/books/credit.ts';
import { idempotencyKeys } from '../../../src/store/access-tables.ts';
import { openStore, type StoreOptions } from '../../../src/store/open-store.ts';
import { accounts } from '../../../src/store/tables.ts';
import { HELD, HOLDER_ID, STREAMED } from './start-holder.ts';

// Runs as a process: pays in, charges for a part of what it sets aside, leaves an idempotency key open, and waits to be killed.

const nowMs = Date.UTC(2025, 9, 9);
const log = pino({ level: 'silent' });
const store = await openStore(JSON.parse(process.argv[2] ?? '') as StoreOptions, log);
const gateway = await joinGateways({ store, log, clock: { nowMs: () => nowMs } });
const accountId = HOLDER_ID;
const money = createMoney({ ownerId: gateway.id });
const found = await store.db.select().from(accounts).where(eq(accounts.id, accountId));
if (found.length === 0)
  await store.db.insert(accounts).values({ id: accountId, kind: 'customer', createdAt: new Date(nowMs) });
await store.transaction(async (tx) => {
  await credit(tx, { accountId, amount: HELD.paid, note: undefined, nowMs });
  const work = { accountId, operation: 'wallet_creation', units: HELD.units, nowMs } as const;
  const reservation = await money.reserve(tx, work);
  await money.charge(tx, reservation, HELD.delivered, nowMs);
  const claimId = randomUUID();
  const terms = { id: randomUUID(), isChargedWhenLost: true, claimId };
  await money.reserve(tx, { ...work, units: STREAMED.units }, terms);
  const open = { accountId, fingerprint: new Uint8Array(32), ownerId: gateway.id };
  await tx.delete(idempotencyKeys).where(eq(idempotencyKeys.key, STREAMED.key));
  await tx.insert(idempotencyKeys).values([
    { ...open, key: gateway.id, createdAt: new Date(nowMs) },
    { ...open, key: STREAMED.key, claimId, createdAt: new Date(nowMs) },
  ]);
});
process.send?.('holding');
