import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { count, eq } from '../../src/store/drizzle.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readBalance } from '../../src/account/billing/books/balance.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { KeyChunks } from '../../src/core/keys/pool.ts';
import { serviceError } from '../../src/core/service-error.ts';
import { auditRecords } from '../../src/store/audit-tables.ts';
import { wallets } from '../../src/store/wallet-tables.ts';
import { createRetryUntilSettled } from '../../src/wallets/retry-until-settled.ts';
import { NO_CLAIM } from '../../src/wallets/claim.ts';
import { beginCharged } from '../../src/wallets/client/begin-charged.ts';
import { createReconciliation } from '../../src/wallets/managed/destroyed-rows.ts';
import type { WalletContext } from '../../src/wallets/wallet-context.ts';
import { SILENT } from '../store/backends.ts';
import { eventually } from '../../src/core/eventually.ts';
import { parseCsv } from './streams/parse-csv.ts';
import { readFirst, readLines, settled } from './streams/read-lines.ts';
import { startUnixService, type UnixService } from './streams/unix-service.ts';
import { createPayLater } from './pay-later.ts';

const COUNT = 10_000;
/** The most wallets that the buffers of both ends, the pool's window and one group hold; it is far from all. */
const HELD_AT_MOST = 6_000;
const COLUMNS = [
  'address',
  'custody',
  'wallet_id',
  'secret_key',
  'mnemonic',
  'derivation_path',
  'created_at',
];

async function start(): Promise<UnixService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'keyslot-streams-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return startUnixService({ dataDir });
}

const storedWallets = async ({ store }: UnixService): Promise<number> => {
  const [found] = await store.db.select({ there: count() }).from(wallets);
  return found?.there ?? 0;
};

/** Waits until nothing is set aside any more; the wallets that were charged for. */
async function chargedWallets({ balance }: UnixService): Promise<number> {
  const { charged, operations } = await eventually('the work is settled', async () => {
    const now = await balance();
    return now.reserved === 0n && now.charged > 0n ? now : undefined;
  });
  expect(charged).toBe((operations.wallet_creation ?? 0n) * 1000n);
  return Number(operations.wallet_creation);
}

test.each([['client'], ['managed']] as const)(
  'a reader that stops in a batch in %s custody stops the work, and gets the rest when it continues',
  async (custody) => {
    const service = await start();
    const answer = await service.post('/batch', { count: COUNT, custody });
    expect(answer.headers['x-wallet-count']).toBe(String(COUNT));
    const first = await readFirst(answer);
    expect(JSON.parse(first.slice(0, first.indexOf('\n')))).toMatchObject({ custody });
    const made = custody === 'client' ? service.handedOver : () => storedWallets(service);
    expect(await settled(made)).toBeLessThan(HELD_AT_MOST);
    expect((await service.balance()).reserved).toBeGreaterThan(0n);
    const { lines, isWhole } = await readLines(answer);
    const all = (first + lines.map((line) => `${line}\n`).join('')).split('\n').slice(0, -1);
    expect([isWhole, all.length, await chargedWallets(service)]).toEqual([true, COUNT, COUNT]);
    const addresses = new Set(all.map((line) => (JSON.parse(line) as { address: string }).address));
    expect(addresses.size).toBe(COUNT);
  },
);

test('a client that closes a client batch pays for no more than was made until then, and no less than came', async () => {
  const service = await start();
  const { lines, isWhole } = await readLines(await service.post('/batch', { count: COUNT }), 700);
  const charged = await chargedWallets(service);
  expect(isWhole).toBe(false);
  expect(charged).toBeGreaterThanOrEqual(lines.length);
  expect(charged).toBeLessThanOrEqual(service.handedOver());
  expect(charged).toBeLessThan(lines.length + HELD_AT_MOST);
  const records = await service.store.db.select().from(auditRecords);
  expect(records).toMatchObject([{ action: 'create', outcome: 'interrupted', units: charged }]);
});

/** A request of the service's account, as the operations get it. */
function contextOf({ accountId, account, store, keys }: UnixService): WalletContext {
  return {
    ...account,
    store,
    payLater: createPayLater(store, systemClock),
    clock: systemClock,
    log: SILENT,
    signer: keys.signer,
    sealedWork: keys.sealedWork,
    keys: keys.pool,
    maxHdChildren: 1,
    retryUntilSettled: createRetryUntilSettled(SILENT),
    claim: NO_CLAIM,
    reconciliation: createReconciliation(),
    caller: { accountId, tokenId: randomUUID(), requestId: 'req_1' },
    tokens: { isRevoked: () => false, use: account.tokens.use },
    signal: new AbortController().signal,
  };
}

const SOME = { operation: 'wallet_creation', units: 1_000 } as const;

/** Makes that many, and remembers what was made and whether it was told to end. */
function watched({ keys, signal }: WalletContext) {
  const made: Buffer[] = [];
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const make = async function* (): KeyChunks {
    begun.resolve();
    try {
      const chunks = keys.batch({ count: SOME.units, format: 'jsonl', createdAt: new Date() }, signal);
      for await (const chunk of chunks) {
        made.push(chunk.bytes);
        yield chunk;
      }
    } finally {
      ended.resolve();
    }
  };
  return { make, made, begun: begun.promise, ended: ended.promise };
}

test('the first wallets are made while the store sets aside what they cost', async () => {
  const service = await start();
  const { store, ...context } = contextOf(service);
  const { make, begun } = watched({ ...context, store });
  const transaction: typeof store.transaction = async (work) => {
    await begun;
    return store.transaction(work);
  };
  const stream = await beginCharged({ ...context, store: { ...store, transaction } }, SOME, make);
  let count = 0;
  for await (const chunk of stream) count += chunk.count;
  expect([count, await chargedWallets(service)]).toEqual([SOME.units, SOME.units]);
});

test('nothing is made for an account that cannot pay, and what was made is wiped where it cannot any more', async () => {
  const service = await start();
  const context = contextOf(service);
  const tooMuch = { ...SOME, units: 10_000_000 };
  const refused = watched(context);
  const making = vi.fn(refused.make);
  await expect(beginCharged(context, tooMuch, making)).rejects.toMatchObject({ code: 'balanceInsufficient' });
  expect(making).not.toHaveBeenCalled();
  const { make, made, ended } = watched(context);
  const money: typeof context.money = {
    ...context.money,
    reserve: () => Promise.reject(serviceError('balanceInsufficient', { required: 1n, available: 0n })),
  };
  await expect(beginCharged({ ...context, money }, SOME, make)).rejects.toMatchObject({
    code: 'balanceInsufficient',
  });
  await ended;
  expect(made.map(({ length }) => length)).toEqual([0]);
  expect(await service.balance()).toMatchObject({ charged: 0n, reserved: 0n });
});

test('a client that leaves during the reservation pays nothing, and may ask again', async () => {
  const service = await start();
  const { store, ...others } = contextOf(service);
  const leave = new AbortController();
  const left = vi.fn(async () => undefined);
  const context = { ...others, store, signal: leave.signal, claim: { ...NO_CLAIM, release: left } };
  const { make, made } = watched(context);
  const transaction: typeof store.transaction = async (work) => {
    await eventually('the first chunk is made', () => made.length > 0 || undefined);
    leave.abort(new Error('the client left'));
    return store.transaction(work);
  };
  const stream = await beginCharged({ ...context, store: { ...store, transaction } }, SOME, make);
  await expect(stream.next()).rejects.toThrow('the client left');
  expect(await service.balance()).toMatchObject({ charged: 0n, reserved: 0n });
  expect([left.mock.calls.length, made.map(({ length }) => length)]).toEqual([1, [0]]);
});

test('wallets that were handed over to be sent are paid for, though their reader leaves before he has them all', async () => {
  const service = await start();
  const { accountId, store } = service;
  const context = contextOf(service);
  const stream = await beginCharged(context, SOME, watched(context).make);
  const [first, second] = [await stream.next(), await stream.next()];
  await stream.return();
  const counts = [first, second].map(({ value }) => value?.count ?? 0);
  const { operations, reserved } = await readBalance(store, accountId, Date.now());
  expect([Number(operations.wallet_creation), reserved]).toEqual([counts.reduce((a, b) => a + b), 0n]);
});

test('a client that closes a managed batch pays for the wallets that are there', async () => {
  const service = await start();
  const answer = await service.post('/batch', { count: COUNT, custody: 'managed' });
  const { lines } = await readLines(answer, 700);
  const charged = await chargedWallets(service);
  expect(charged).toBe(await storedWallets(service));
  expect(charged).toBeGreaterThanOrEqual(lines.length);
  expect(charged).toBeLessThan(lines.length + HELD_AT_MOST);
});

test('a client that leaves before a tree in one JSON object is made pays nothing', async () => {
  const service = await start();
  const isUnderWay = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();
  service.watch(() => {
    if (service.handedOver() < 256) return;
    isUnderWay.resolve();
    return goesOn.promise;
  });
  const leave = new AbortController();
  const asked = service.post('/hd', { accounts: { start: 0, count: 1_000 } }, {}, leave.signal);
  asked.catch(() => undefined);
  await isUnderWay.promise;
  leave.abort();
  await expect(asked).rejects.toThrow();
  goesOn.resolve();
  const isCreate = eq(auditRecords.action, 'create');
  const [record] = await eventually('the refusal is on record', async () => {
    const records = await service.store.db.select().from(auditRecords).where(isCreate);
    return records.length > 0 ? records : undefined;
  });
  expect(record).toMatchObject({ outcome: 'interrupted' });
  expect(await service.balance()).toMatchObject({ charged: 0n, reserved: 0n });
});

test('every JSONL line is a wallet, and a CSV has the same columns in both custodies', async () => {
  const service = await start();
  const words = { mnemonic_words: 24 };
  const { lines } = await readLines(await service.post('/batch', { count: 300, ...words }));
  for (const line of lines) {
    const { secret_key, mnemonic, ...wallet } = JSON.parse(line) as Record<string, string>;
    expect([secret_key?.length, mnemonic?.split(' ').length]).toEqual([expect.any(Number), 24]);
    expect(Object.keys(wallet)).toEqual(['address', 'custody', 'derivation_path', 'created_at']);
  }
  for (const body of [
    { count: 300, ...words },
    { count: 300, custody: 'managed' },
  ]) {
    const answer = await service.post('/batch', { ...body, format: 'csv' });
    expect(answer.headers['content-disposition']).toBe('attachment; filename="wallets.csv"');
    const got = await readLines(answer);
    const [header, ...records] = parseCsv(`${got.lines.join('\n')}\n`);
    expect([got.isWhole, header, records.length]).toEqual([true, COLUMNS, 300]);
    expect(records.filter((record) => record.length !== COLUMNS.length)).toEqual([]);
  }
  const tree = { format: 'csv', custody: 'managed', accounts: { start: 0, count: 600 } };
  const got = await readLines(await service.post('/hd', tree));
  const [header, master, ...children] = parseCsv(`${got.lines.join('\n')}\n`);
  expect([header, master?.[5], children.length]).toEqual([COLUMNS, 'm', 600]);
});
