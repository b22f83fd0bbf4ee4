import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ensureAccount } from '../../src/account/accounts/accounts.ts';
import { type AuditFact, appendAuditInOwnTransaction } from '../../src/account/audit/append-audit.ts';
import { readStatements } from '../../src/account/billing/invoices/read-statements.ts';
import { createMoney } from '../../src/account/billing/books/money.ts';
import { sumWalletUsage } from '../../src/account/usage/sum-wallet-usage.ts';
import { readWalletUsage, type WalletUsageQuery } from '../../src/account/usage/read-wallet-usage.ts';
import { createToken } from '../../src/account/identity/tokens/access-tokens.ts';
import { TokenRing } from '../../src/account/identity/tokens/token-ring.ts';
import { sql } from '../../src/store/drizzle.ts';
import { describeStores } from '../store/backends.ts';
import { pay } from './billing/books/books.ts';

const HOUR_MS = 3_600_000;
/** The beginning of a day of UTC. */
const DAY = Date.UTC(2025, 9, 9);
const money = createMoney({ ownerId: randomUUID() });

describeStores('usage of wallet operations', (backend) => {
  const store = backend.emptied();

  async function newAccount(name: string) {
    const accountId = await ensureAccount(store(), name, DAY);
    await pay(store(), accountId, 1_000_000n);
    const params = {
      accountId,
      name: `${name}'s`,
      scopes: ['wallets:sign'] as const,
      expiresAtMs: undefined,
    };
    const { id: tokenId } = await createToken({ store: store(), tokens: new TokenRing() }, params, DAY);
    const record = (atMs: number, ...facts: readonly Partial<AuditFact>[]) =>
      appendAuditInOwnTransaction(
        store(),
        accountId,
        facts.map((own) => ({
          action: 'sign',
          outcome: 'ok',
          requestId: `req_${randomUUID()}`,
          tokenId,
          ...own,
        })),
        atMs,
      );
    const charge = (nowMs: number, operation: 'managed_signing' | 'wallet_creation', units: number) =>
      store().transaction((tx) => money.chargeNow(tx, { accountId, operation, units, nowMs }));
    return { accountId, tokenId, record, charge };
  }

  const read = (by: WalletUsageQuery['by'], own: Partial<WalletUsageQuery> = {}) =>
    readWalletUsage(store(), { sinceMs: 0, by, accountId: undefined, ...own });

  /** Two accounts that created, signed and were refused on two days. */
  async function fill() {
    const acme = await newAccount('acme');
    await acme.record(DAY - 1, {}, { outcome: 'replayed' });
    await acme.charge(DAY - 1, 'managed_signing', 1);
    const batch = { action: 'create', requestId: 'req_batch' };
    await acme.record(DAY, { ...batch, walletId: 'w_1' }, { ...batch, walletId: 'w_2' });
    await acme.charge(DAY, 'wallet_creation', 2);
    await acme.record(DAY + HOUR_MS, { outcome: 'scope_missing', units: 7 }, { action: 'fetch' });
    // Neither of them is a request of the wallet service.
    await acme.record(DAY, { tokenId: undefined, action: 'destroy' }, { action: 'subscribe', outcome: 'x' });
    const other = await newAccount('other');
    await other.record(DAY, {});
    await other.charge(DAY, 'managed_signing', 1);
    return { acme, other };
  }

  test('is summed up by operation: a request counts once, however many records it has', async () => {
    await fill();
    expect(await read('operation')).toEqual([
      { group: 'sign', requests: 3, refused: 7, charged: { units: 2n, cost: 200n } },
      { group: 'create', requests: 1, refused: 0, charged: { units: 2n, cost: 2_000n } },
      { group: 'fetch', requests: 1, refused: 0, charged: { units: 0n, cost: 0n } },
    ]);
  });

  test('by operation on each day, in order', async () => {
    await fill();
    const [first, second] = ['2025-10-08T00:00:00Z', '2025-10-09T00:00:00Z'];
    expect(await read('day_operation')).toEqual([
      { group: first, operation: 'sign', requests: 2, refused: 0, charged: { units: 1n, cost: 100n } },
      { group: second, operation: 'create', requests: 1, refused: 0, charged: { units: 2n, cost: 2_000n } },
      { group: second, operation: 'fetch', requests: 1, refused: 0, charged: { units: 0n, cost: 0n } },
      { group: second, operation: 'sign', requests: 1, refused: 7, charged: { units: 1n, cost: 100n } },
    ]);
  });

  test('by token, without what the books do not know', async () => {
    const { acme, other } = await fill();
    expect(await read('token')).toEqual([
      { group: acme.tokenId, requests: 4, refused: 7, token: { name: "acme's", account: 'acme' } },
      { group: other.tokenId, requests: 1, refused: 0, token: { name: "other's", account: 'other' } },
    ]);
  });

  test('by the minutes, hours and days of UTC, of one account, and since a minute', async () => {
    const { acme } = await fill();
    expect(await read('day')).toEqual([
      { group: '2025-10-08T00:00:00Z', requests: 2, refused: 0, charged: { units: 1n, cost: 100n } },
      { group: '2025-10-09T00:00:00Z', requests: 3, refused: 7, charged: { units: 3n, cost: 2_100n } },
    ]);
    const hours = (await read('hour', { accountId: acme.accountId, sinceMs: DAY + 59_999 })).map(
      ({ group, requests, charged }) => [group, requests, charged?.units],
    );
    expect(hours).toEqual([
      ['2025-10-09T00:00:00Z', 1, 2n],
      ['2025-10-09T01:00:00Z', 1, 0n],
    ]);
    expect((await read('minute')).map(({ group }) => group)).toEqual([
      ...['2025-10-08T23:59:00Z', '2025-10-09T00:00:00Z', '2025-10-09T01:00:00Z'],
    ]);
    expect(await read('day', { sinceMs: DAY + 2 * HOUR_MS })).toEqual([]);
    expect(await read('operation', { accountId: randomUUID() })).toEqual([]);
  });

  test('sums of hours change no figure, whatever is added before and after them', async () => {
    const { acme, other } = await fill();
    const many = Array.from({ length: 1_500 }, (_, index) =>
      index % 3 === 0
        ? { action: 'create', requestId: `req_${index % 9}` }
        : { outcome: index % 2 ? 'ok' : 'no' },
    );
    await acme.record(DAY + 3 * HOUR_MS, ...many);
    await acme.charge(DAY + 3 * HOUR_MS, 'managed_signing', 5);
    const readAll = async () => {
      const figures: unknown[] = [];
      for (const by of ['token', 'operation', 'minute', 'hour', 'day'] as const)
        for (const accountId of [undefined, acme.accountId, other.accountId])
          for (const [sinceMs, untilMs] of [
            [0, undefined],
            [DAY - 60_000, DAY + HOUR_MS + 60_000],
            [DAY + 60_000, DAY + 3 * HOUR_MS],
            [DAY + 60_000, DAY + 9 * HOUR_MS],
          ] as const)
            figures.push([by, accountId, sinceMs, untilMs, await read(by, { accountId, sinceMs, untilMs })]);
      return figures;
    };
    const before = await readAll();
    const nowMs = DAY + 2.5 * HOUR_MS;
    expect(await sumWalletUsage(store(), nowMs)).toBe(true);
    expect(await sumWalletUsage(store(), nowMs)).toBe(false);
    expect(await readAll()).toEqual(before);
    await acme.record(DAY + 4 * HOUR_MS, ...many.map((fact) => ({ ...fact, requestId: 'req_later' })));
    await acme.charge(DAY + 2 * HOUR_MS, 'managed_signing', 1);
    const behind = await readAll();
    expect(await sumWalletUsage(store(), DAY + 30 * HOUR_MS)).toBe(true);
    expect(await readAll()).toEqual(behind);
  });

  test('has the charges of a server whose clock is late, in summed hours too, or if the summing server is ahead', async () => {
    const { accountId, charge, record } = await newAccount('acme');
    await record(DAY, ...Array.from({ length: 1_000 }, () => ({})));
    await charge(DAY, 'managed_signing', 5);
    expect(await sumWalletUsage(store(), DAY + 30 * HOUR_MS)).toBe(true);
    await charge(DAY - 3 * HOUR_MS, 'managed_signing', 1);
    await charge(DAY, 'managed_signing', 2);
    const units = async () => (await read('hour', { accountId })).map(({ charged }) => charged?.units);
    const statement = async () => {
      const months = { accountId, createdAt: new Date(DAY), nowMs: DAY };
      return (await readStatements(store(), months))[0]?.charged;
    };
    expect([await units(), await statement()]).toEqual([[1n, 7n], 800n]);
    expect(await sumWalletUsage(store(), DAY + 60 * HOUR_MS)).toBe(true);
    expect(await sumWalletUsage(store(), DAY + 60 * HOUR_MS)).toBe(false);
    await charge(DAY, 'managed_signing', 10);
    expect([await units(), await statement()]).toEqual([[1n, 17n], 1_800n]);
  });

  test('continues at once with charges that are more than a step', async () => {
    const { accountId, charge, record } = await newAccount('acme');
    await record(DAY, ...Array.from({ length: 1_000 }, () => ({})));
    await charge(DAY, 'managed_signing', 1);
    await store().transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(sql`
        with made as (
          insert into ledger_transactions (account_id, kind, operation, units, month, created_at)
          select account_id, kind, operation, units, month, created_at from ledger_transactions, generate_series(1, 20000)
          where account_id = ${accountId} and kind = 'charge' returning id
        )
        insert into ledger_entries (transaction_id, account_id, kind, amount, balance_after)
        select id, ${accountId}, 'revenue', 100, 0 from made`);
    });
    for (const hasMore of [true, true, false]) {
      expect(await sumWalletUsage(store(), DAY + HOUR_MS)).toBe(hasMore);
      expect(await read('day', { accountId })).toMatchObject([{ charged: { units: 20_001n } }]);
    }
  });

  test('counts what a member does in the dashboard, by the name of the member, before and after it is summed up', async () => {
    const acme = await newAccount('acme');
    const [userId, memberId] = [randomUUID(), randomUUID()];
    await store().db.execute(sql`insert into logins (id, name, email, email_verified, created_at, updated_at)
      values (${userId}, 'Ann', 'ann@acme.example', false, now(), now())`);
    await store().db.execute(sql`insert into members (id, account_id, user_id, role, created_at)
      values (${memberId}, ${acme.accountId}, ${userId}, 'owner', now())`);
    const own = { tokenId: undefined, memberId };
    await acme.record(DAY, { ...own, outcome: 'scope_missing', units: 2 }, {});
    await acme.record(DAY, ...Array.from({ length: 1_000 }, () => own));
    const expected = [
      {
        group: memberId,
        requests: 1_000,
        refused: 2,
        token: { name: 'Dashboard (ann@acme.example)', account: 'acme' },
      },
      { group: acme.tokenId, requests: 1, refused: 0, token: { name: "acme's", account: 'acme' } },
    ];
    const readBoth = async () => [await read('token'), await read('operation')];
    const before = await readBoth();
    expect(before[0]).toEqual(expected);
    expect(before[1]).toMatchObject([{ group: 'sign', requests: 1_001, refused: 2 }]);
    expect(await sumWalletUsage(store(), DAY + 2.5 * HOUR_MS)).toBe(true);
    expect(await readBoth()).toEqual(before);
  });

  test('a request with records on both sides of what is summed up counts once', async () => {
    const { accountId, record } = await newAccount('acme');
    const batch = Array.from({ length: 1_000 }, () => ({ action: 'create', requestId: 'req_batch' }));
    await record(DAY, ...batch);
    await sumWalletUsage(store(), DAY);
    await record(DAY, ...batch);
    await sumWalletUsage(store(), DAY);
    expect(await read('operation', { accountId })).toMatchObject([{ group: 'create', requests: 1 }]);
  });
});
