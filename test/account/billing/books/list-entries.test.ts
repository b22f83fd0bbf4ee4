import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PageQuery } from '../../../../src/store/list-page.ts';
import { type BookEntry, listEntries } from '../../../../src/account/billing/books/list-entries.ts';
import { createMoney } from '../../../../src/account/billing/books/money.ts';
import { describeStores } from '../../../store/backends.ts';
import { newCustomer, NOW_MS } from '../../new-customer.ts';
import { credit } from '../../../../src/account/billing/books/credit.ts';
import { rounds } from '../../../support/tier.ts';

const MINUTE_MS = 60_000;

describeStores('a list of the entries of the books', (backend) => {
  const store = backend.shared();
  const money = createMoney({ ownerId: randomUUID() });

  const pay = (accountId: string, amount: bigint, atMs = NOW_MS): Promise<void> =>
    store().transaction((tx) => credit(tx, { accountId, amount, note: 'invoice 7', nowMs: atMs }));

  async function readAll(
    accountId: string,
    query: PageQuery,
    between = async (): Promise<void> => undefined,
  ) {
    const entries: BookEntry[] = [];
    for (let after = query.after; ; ) {
      const page = await listEntries(store(), accountId, { ...query, after });
      expect(page.entries.length).toBeLessThanOrEqual(query.limit);
      entries.push(...page.entries);
      if (page.next === undefined) return entries;
      after = page.next;
      await between();
    }
  }

  test('has credits, charges, reservations and what was given back, with the balance behind each', async () => {
    const accountId = await newCustomer(store());
    const work = { accountId, units: 2, nowMs: NOW_MS };
    await pay(accountId, 10_000n);
    await pay(await newCustomer(store()), 1n);
    await store().transaction((tx) => money.chargeNow(tx, { ...work, operation: 'managed_signing' }));
    const begin = () =>
      store().transaction((tx) => money.reserve(tx, { ...work, operation: 'wallet_creation' }));
    const [first, second] = [await begin(), await begin()];
    await store().transaction((tx) => money.charge(tx, first, 1, NOW_MS));
    await store().transaction((tx) => money.release(tx, first, NOW_MS));
    await store().transaction((tx) => money.settle(tx, second, 1, NOW_MS));
    const entries = await readAll(accountId, { limit: 3 });
    expect(
      entries.map((one) => [one.kind, one.operation, one.units, one.amount, one.reserved, one.charged]),
    ).toEqual([
      ['charge', 'wallet_creation', 1n, 1_000n, -2_000n, 1_000n],
      ['refund', 'wallet_creation', null, 1_000n, -1_000n, 0n],
      ['charge', 'wallet_creation', 1n, 0n, -1_000n, 1_000n],
      ['reserve', 'wallet_creation', 2n, -2_000n, 2_000n, 0n],
      ['reserve', 'wallet_creation', 2n, -2_000n, 2_000n, 0n],
      ['charge', 'managed_signing', 2n, -200n, 0n, 200n],
      ['credit', null, null, 10_000n, 0n, 0n],
    ]);
    expect(entries.map(({ balanceAfter }) => balanceAfter)).toEqual([
      ...[7_800n, 6_800n, null, 5_800n, 7_800n, 9_800n, 10_000n],
    ]);
    expect(entries.map(({ reservationId }) => reservationId)).toEqual([
      ...[second.id, first.id, first.id, second.id, first.id, null, null],
    ]);
    expect(entries.at(-1)).toMatchObject({ note: 'invoice 7', at: new Date(NOW_MS) });
  });

  test('pages of any size have each entry once, in order, while others are written', async () => {
    const accountId = await newCustomer(store());
    let written = 0;
    const write = () => pay(accountId, BigInt(++written), NOW_MS + written * 1_000);
    while (written < 20) await write();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.boolean(), async (limit, isTimed) => {
        const before = written;
        const since = isTimed ? new Date(NOW_MS) : undefined;
        const entries = await readAll(accountId, { limit, since }, write);
        const wanted = Array.from({ length: before }, (_, at) => BigInt(before - at));
        expect(entries.map(({ amount }) => amount)).toEqual(wanted);
      }),
      { numRuns: rounds(10) },
    );
  });

  test('between instants it has the first and not the last, in the order of time', async () => {
    const accountId = await newCustomer(store());
    for (const minute of [1, 10, 20, 5, 30])
      await pay(accountId, BigInt(minute), NOW_MS + minute * MINUTE_MS);
    const at = (minute: number) => new Date(NOW_MS + minute * MINUTE_MS);
    const between = async (query: Omit<PageQuery, 'limit'>) =>
      (await readAll(accountId, { limit: 1, ...query })).map(({ amount }) => Number(amount));
    expect(await between({ since: at(5), until: at(20) })).toEqual([10, 5]);
    expect(await between({ until: at(6) })).toEqual([5, 1]);
    expect(await between({ since: at(5) })).toEqual([30, 20, 10, 5]);
    expect(await between({})).toEqual([30, 5, 20, 10, 1]);
    expect(await between({ since: at(31) })).toEqual([]);
  });
});
