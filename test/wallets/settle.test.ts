import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { appendAudit } from '../../src/account/audit/append-audit.ts';
import { readBalance } from '../../src/account/billing/books/balance.ts';
import { lockBooks } from '../../src/account/billing/books/books.ts';
import { createMoney, type Quote } from '../../src/account/billing/books/money.ts';
import { SPEC_PRICES } from '../../src/account/billing/books/prices.ts';
import { verifyAudit } from '../../src/account/audit/verify-audit.ts';
import { quoteOf } from '../../src/wallets/charging/assert-affordable.ts';
import { serviceError } from '../../src/core/service-error.ts';
import { sql } from '../../src/store/drizzle.ts';
import type { KeyChunk } from '../../src/core/keys/pool.ts';
import { reserveQuoted } from '../../src/wallets/charging/reserve.ts';
import { chargedStream } from '../../src/wallets/client/begin-charged.ts';
import { NO_CLAIM } from '../../src/wallets/claim.ts';
import { settle } from '../../src/wallets/charging/settle.ts';
import type { WalletContext } from '../../src/wallets/wallet-context.ts';
import { expectSoundBooks, pay } from '../account/billing/books/books.ts';
import { expectRecordedCharges } from '../account/billing/books/recorded-charges.ts';
import { newCustomer, NOW_MS } from '../account/new-customer.ts';
import { eventually } from '../../src/core/eventually.ts';
import { countSubmits } from '../store/count-submits.ts';
import { describeStores } from '../store/backends.ts';

const WORK = { operation: 'managed_signing', units: 1 } as const;

describeStores('the end of work', (backend) => {
  const store = backend.shared();

  async function setUp(amount: bigint) {
    const accountId = await newCustomer(store());
    await pay(store(), accountId, amount);
    const context = {
      store: store(),
      money: createMoney({ ownerId: randomUUID() }),
      claim: NO_CLAIM,
      clock: { nowMs: () => NOW_MS },
      caller: { accountId, tokenId: randomUUID(), requestId: 'req_1' },
      tokens: { isRevoked: () => false },
    } as unknown as WalletContext;
    const sign = (quote: Quote, outcome = 'ok') =>
      settle(context, { quotes: [quote], facts: [{ action: 'sign', outcome }], answer: { charged: 1 } });
    const read = async () => {
      const { accounts } = await verifyAudit(
        { store: store(), headsFile: '/nowhere', trustedKeys: [] },
        accountId,
      );
      const { available, operations } = await readBalance(store(), accountId, NOW_MS);
      return { available, signed: operations.managed_signing ?? 0n, records: accounts[0]?.records };
    };
    const creations = async () =>
      (await readBalance(store(), accountId, NOW_MS)).operations.wallet_creation ?? 0n;
    return { context, quote: () => quoteOf(context, store().db, WORK), sign, read, creations };
  }

  test('is written in two round trips to either store', async () => {
    const { quote, sign, read } = await setUp(1_000n);
    await sign(await quote());
    const quoted = await quote();
    expect(await countSubmits(() => sign(quoted))).toEqual([undefined, 2]);
    expect(await read()).toEqual({ available: 800n, signed: 2n, records: 2 });
  });

  test('is charged as the price is then, and refused where the money is gone meanwhile, without a trace', async () => {
    const { quote, sign, read } = await setUp(150n);
    const early = await quote();
    await sign(early);
    await expect(sign(early)).rejects.toMatchObject({
      code: 'balanceInsufficient',
      context: { required: 100n, available: 50n },
    });
    expect(await read()).toEqual({ available: 50n, signed: 1n, records: 1 });
  });

  test('charges what a stream has delivered although its key was given to another request meanwhile', async () => {
    const { context, read, creations } = await setUp(1_000_000n);
    const quote = await quoteOf(context, store().db, { operation: 'wallet_creation', units: 5 });
    const dropped: unknown[] = [];
    const lost = {
      ...context,
      claim: {
        ...NO_CLAIM,
        workId: randomUUID(),
        finish: () => Promise.reject(serviceError('reservationClosed')),
      },
      keys: { drop: (chunk: unknown) => void dropped.push(chunk) },
      signal: new AbortController().signal,
      retryUntilSettled: (work: () => Promise<void>) => work(),
    } as unknown as WalletContext;
    const reservation = await reserveQuoted(lost, quote);
    const chunks = (async function* () {
      for (const count of [2, 3]) yield { count } as KeyChunk;
    })();
    let passed = 0;
    for await (const { count } of chargedStream(lost, reservation, chunks)) passed += count;
    expect([passed, dropped.length, await creations()]).toEqual([5, 2, 5n]);
    expect(await read()).toMatchObject({ available: 1_000_000n - reservation.amount });
    await expectSoundBooks(store(), SPEC_PRICES);
  });

  // The embedded store has one connection, whose transactions never wait for each other.
  if (backend.kind === 'postgres') {
    test('in a closed month locks the books before the log', async () => {
      const { context, quote, sign, read } = await setUp(1_000n);
      await sign(await quote());
      const { accountId } = context.caller;
      await store().db.execute(
        sql`update ledger_accounts set closed_month = '2999-01' where account_id = ${accountId}`,
      );
      const quoted = await quote();
      let signed: Promise<void> | undefined;
      await store().transaction(async (tx) => {
        await lockBooks(tx, accountId);
        signed = sign(quoted);
        const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        const isWaiting = async () => (await store().db.execute(waiting)).rowCount || undefined;
        await eventually('the signature waits for the books', isWaiting);
        await appendAudit(tx, accountId, [{ action: 'sign', outcome: 'ok', requestId: 'req_2' }], NOW_MS);
      });
      await signed;
      expect(await read()).toMatchObject({ available: 800n, records: 3 });
    });
  }

  test('of many requests of an account at once is charged once each', async () => {
    const { quote, sign, read } = await setUp(2_500n);
    const quoted = await quote();
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => sign(quoted)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(25);
    expect(await read()).toEqual({ available: 0n, signed: 25n, records: 25 });
    await expectSoundBooks(store(), SPEC_PRICES);
    await expectRecordedCharges(store());
  });
});
