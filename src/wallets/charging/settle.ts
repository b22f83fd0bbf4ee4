import type { IdempotentAnswer } from '../../account/idempotent-request.ts';
import type { Quote } from '../../account/money/money.ts';
import { insertRows } from '../../store/insert-rows.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { AuditCharge } from '../../../runtime/audit-bytes.ts';
import { wallets } from '../../store/wallet-tables.ts';
import { audit, auditExpected, charging, type WalletFact } from '../audit.ts';
import type { WalletRow } from '../managed/wallet-row.ts';
import { tryTogether } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { transactCharge } from './pay-later.ts';

/** The result of a request's work. */
export type Settlement = {
  /** The charges, as quoted before the work. */
  readonly quotes: readonly Quote[];
  readonly facts: readonly WalletFact[];
  /** The new wallets. */
  readonly rows?: readonly WalletRow[];
  /** The answer, for a repeated request. */
  readonly answer: IdempotentAnswer['body'];
  /** Further writes. */
  readonly keep?: ((tx: StoreTransaction) => Promise<void>) | undefined;
};

/**
 * Writes the wallets of a request, its charge, its audit record and its answer in one transaction: in one round trip to the store if
 * everything is still as quoted.
 *
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`, when the money was spent elsewhere meanwhile; nothing is written
 *   then.
 */
export async function settle(context: WalletContext, settlement: Settlement): Promise<void> {
  const { claim, money, clock } = context;
  const { quotes, facts, rows = [], answer, keep } = settlement;
  const isSimple = claim.workId === undefined && keep === undefined;
  if (isSimple && (await settleTogether(context, settlement)) !== undefined) return;
  await transactCharge(context, async (tx) => {
    await claim.finish(tx, answer);
    const charges: (AuditCharge | undefined)[] = [];
    for (const quote of quotes)
      charges.push((await money.chargeNow(tx, { ...quote, nowMs: clock.nowMs() })).charge);
    await keep?.(tx);
    await insertRows(tx, wallets, rows);
    await audit(tx, context, charging(facts, charges));
  });
}

function settleTogether(
  context: WalletContext,
  { quotes, facts, rows = [] }: Settlement,
): Promise<readonly unknown[] | undefined> {
  const { money, clock } = context;
  return tryTogether(context, (db) => [
    ...quotes.map((quote) => money.chargeQuoted(db, quote, clock.nowMs())),
    insertRows(db, wallets, rows),
    auditExpected(db, context, charging(facts, quotes.map(money.quotedCharge))),
  ]);
}
