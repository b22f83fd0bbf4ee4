import type { AccountValueName } from '../../../../generated/contract/account/contract.ts';
import { listInvoices } from '../../../../src/account/billing/invoices/read-invoices.ts';
import { setTerms } from '../../../../src/account/billing/invoices/set-terms.ts';
import { monthsLater, monthStartMs, utcMonth } from '../../../../src/core/utc-month.ts';
import type { Store } from '../../../../src/store/open-store.ts';
import { charge, closeAll } from '../../billing/invoices/billed-account.ts';
import { command } from '../../../support/wallet-account.ts';

type Parts = {
  readonly store: Store;
  readonly accountIdOf: (name: string) => Promise<string>;
  readonly dataDir: string;
  /** The account of the run, and another one. */
  readonly names: { readonly own: string; readonly other: string };
};

const CREDIT_LIMIT = 5_000_000_000n;
const OWING = 'owing';

/** Issues invoices of the last month to the account of a run and to another one, and makes an account that owes money. */
export async function provisionBilling({
  store,
  accountIdOf,
  dataDir,
  names,
}: Parts): Promise<Partial<Record<AccountValueName, string>>> {
  const nowMs = Date.now();
  const last = monthsLater(utcMonth(nowMs), -1);
  const chargeIn = async (accountId: string, atMs: number): Promise<void> => {
    const terms = { accountId, mode: 'invoiced', creditLimit: CREDIT_LIMIT, nowMs: atMs } as const;
    await store.transaction((tx) => setTerms(tx, terms));
    await charge(store, { accountId, operation: 'wallet_creation', units: 100_000, nowMs: atMs });
  };
  const [own, other] = [await accountIdOf(names.own), await accountIdOf(names.other)];
  for (const accountId of [own, other]) await chargeIn(accountId, monthStartMs(last) + 1);
  // In the first minutes of a month the last one is not closed yet.
  await closeAll(store, Math.max(nowMs, monthStartMs(utcMonth(nowMs)) + 3_600_000));
  await command(dataDir, ['accounts', 'create', OWING]);
  const owing = await accountIdOf(OWING);
  await chargeIn(owing, nowMs);
  const numberOf = async (accountId: string) =>
    (await listInvoices(store.db, { accountId, limit: 1 }))[0]?.number ?? '';
  return {
    invoice_number: await numberOf(own),
    other_invoice_number: await numberOf(other),
    owing_id: owing,
  };
}
