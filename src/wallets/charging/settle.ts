import type { IdempotentAnswer } from '../../account/idempotency/idempotent-request.ts';
import type { Quote } from '../../account/billing/books/money.ts';
import { lockBehindBooks, type Tip } from '../../account/audit/append-audit.ts';
import { insertRows } from '../../store/insert-rows.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { AuditCharge } from '../../../runtime/audit-bytes.ts';
import { wallets } from '../../store/wallet-tables.ts';
import { assertNotRevoked } from '../assert-not-revoked.ts';
import { audit, charging, type WalletFact } from '../audit.ts';
import type { WalletRow } from '../wallet-row.ts';
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
 * Writes the wallets of a request, its charge, its audit record and its answer in one transaction.
 *
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`, if the money was spent elsewhere in the meantime, `tokenRevoked`;
 *   nothing is written then.
 */
export async function settle(
  context: WalletContext,
  { quotes, facts, rows = [], answer, keep }: Settlement,
): Promise<void> {
  const { claim, money, clock } = context;
  await transactCharge(context, async (tx) => {
    await claim.finish(tx, answer);
    const charges: (AuditCharge | undefined)[] = [];
    let tip: Tip | undefined;
    for (const quote of quotes) {
      // One round trip locks the books and, behind them, the end of the log.
      const charge = money.chargeNow(tx, { ...quote, nowMs: clock.nowMs() });
      const [receipt, locked] = await Promise.all([charge, tip ?? lockBehindBooks(tx, quote.accountId)]);
      charges.push(receipt.charge);
      tip = locked;
    }
    await keep?.(tx);
    insertRows(tx, wallets, rows);
    await audit(tx, context, charging(facts, charges), tip);
    assertNotRevoked(context);
  });
}
