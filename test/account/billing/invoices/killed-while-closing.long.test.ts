import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { setTerms } from '../../../../src/account/billing/invoices/set-terms.ts';
import { eventually } from '../../../../src/core/eventually.ts';
import { monthsLater, monthStartMs, utcMonth } from '../../../../src/core/utc-month.ts';
import { closedMonths, invoices } from '../../../../src/store/billing-tables.ts';
import { asc, eq, sql } from '../../../../src/store/drizzle.ts';
import { bookAccounts, ledgerTransactions } from '../../../../src/store/money-tables.ts';
import { openStore, type Store } from '../../../../src/store/open-store.ts';
import { accounts } from '../../../../src/store/tables.ts';
import { startScriptedNode } from '../../../server/scripted-node.ts';
import { SILENT } from '../../../store/backends.ts';
import { useNewDirectory } from '../../../support/new-directory.ts';
import { type NodeProcess, startNode } from '../../../support/node-process.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../../../support/postgres.ts';
import { expectBalanced } from '../books/books.ts';
import { charge, provedBut, signHeads, verifyInvoice } from './billed-account.ts';

vi.setConfig({ testTimeout: 600_000 });

const ACCOUNTS = 240;
const KILLS = 10;
const HOUR = 3_600_000;
const LAST = monthsLater(utcMonth(Date.now()), -1);
const START = monthStartMs(LAST);
const END = monthStartMs(monthsLater(LAST, 1));
const postgresUrl = await findPostgres();
const directory = useNewDirectory();

test('an hour without service in a month is credited exactly, once to each account, by servers that are killed 10 times', async (context) => {
  if (postgresUrl === undefined) return context.skip(POSTGRES_MISSING);
  const { url: databaseUrl, drop } = await createDatabase(postgresUrl);
  onTestFinished(drop);
  const store = await openStore({ dataDir: directory(), databaseUrl }, SILENT);
  onTestFinished(() => store.close());
  const invoiced = await fill(store);
  const node = await startScriptedNode();
  onTestFinished(node.close);
  const env = {
    KEYSLOT_DATA_DIR: directory(),
    KEYSLOT_DATABASE_URL: databaseUrl,
    KEYSLOT_UPSTREAM_URL: node.url,
    KEYSLOT_HTTP_PORT: '0',
    KEYSLOT_GRPC_PORT: '0',
  };
  let kills = 0;
  while (kills < KILLS) {
    const server = startNode(['src/main.ts', 'serve'], env);
    const before = await countClosed(store);
    if (before === ACCOUNTS) throw new Error(`everything was closed after ${kills} kills`);
    await closedSome(store, server, before + 1 + (kills % 4) * 3);
    process.kill(server.pid, 'SIGKILL');
    await eventually('the server is gone', server.ended);
    kills += 1;
  }
  const server = startNode(['src/main.ts', 'serve'], env);
  onTestFinished(server.stop);
  await closedSome(store, server, ACCOUNTS);

  await expectBalanced(store);
  const minutes = (END - START) / 60_000;
  const rows = await store.db.select().from(closedMonths);
  expect(rows).toHaveLength(ACCOUNTS);
  for (const { charged, serviceCredit, ...row } of rows) {
    expect(row).toMatchObject({ month: LAST, minutes, unavailable: 60_000_000n });
    expect(serviceCredit).toBe((charged * 10n + 99n) / 100n);
  }
  const credits = await store.db
    .select({ accountId: ledgerTransactions.accountId })
    .from(ledgerTransactions)
    .where(eq(ledgerTransactions.kind, 'service_credit'));
  expect(new Set(credits.map(({ accountId }) => accountId)).size).toBe(credits.length);
  expect(credits).toHaveLength(ACCOUNTS);
  const revenue = await store.db.select().from(bookAccounts).where(eq(bookAccounts.kind, 'revenue'));
  const net = new Map(rows.map((row) => [row.accountId, row.charged - row.serviceCredit]));
  for (const { accountId, balance } of revenue) expect(balance).toBe(net.get(accountId) ?? 0n);

  const issued = await store.db.select().from(invoices).orderBy(asc(invoices.number));
  expect(issued.map(({ number }) => number)).toEqual(issued.map((_, index) => index + 1));
  expect(new Set(issued.map(({ accountId }) => accountId))).toEqual(invoiced);
  await signHeads(store, Date.now());
  for (const { document } of issued.slice(0, 20)) {
    const { number } = JSON.parse(document) as { readonly number: string };
    // The servers have signed some heads, too.
    expect((await verifyInvoice(store, number, [])).problems).toEqual([]);
  }
});

/** Charges accounts in the last month that are invoiced, in which the service was there but for an hour. */
async function fill(store: Store): Promise<ReadonlySet<string>> {
  const down = { fromMs: START + 100 * HOUR, untilMs: START + 101 * HOUR };
  await provedBut(store, { fromMs: START - HOUR, untilMs: END }, down);
  const invoiced = new Set<string>();
  for (let made = 0; made < ACCOUNTS; made++) {
    const accountId = randomUUID();
    const row = { id: accountId, kind: 'customer', name: `account-${made}` } as const;
    await store.db.insert(accounts).values({ ...row, createdAt: new Date(START - HOUR) });
    const terms = { accountId, mode: 'invoiced', creditLimit: 10_000_000_000n, nowMs: START } as const;
    await store.transaction((tx) => setTerms(tx, terms));
    const work = {
      accountId,
      operation: 'managed_signing',
      units: 1 + made * 37,
      nowMs: START + made,
    } as const;
    await charge(store, work);
    await charge(store, { ...work, operation: 'wallet_creation', units: 1 + made });
    invoiced.add(accountId);
  }
  return invoiced;
}

async function countClosed({ db }: Store): Promise<number> {
  const { rows } = await db.execute<{ readonly n: number }>(
    sql`select count(*)::int as n from closed_months`,
  );
  return rows[0]?.n ?? 0;
}

function closedSome(store: Store, server: NodeProcess, count: number): Promise<true> {
  const look = async (): Promise<true | undefined> => {
    if (server.ended() !== undefined) throw new Error(`ended with ${server.ended()}: ${server.stderr()}`);
    return (await countClosed(store)) >= count || undefined;
  };
  return eventually(`${count} months are closed`, look, { intervalMs: 2 });
}
