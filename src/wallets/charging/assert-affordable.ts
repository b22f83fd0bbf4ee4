import { assertPayable, isPayable, type Quote, type Work } from '../../account/billing/books/money.ts';
import type { Executes } from '../../store/statement.ts';
import { read } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { mayPayLater } from './pay-later.ts';

type Asked = Pick<Work, 'operation' | 'units'>;

/** Returns the current price of the caller's work. */
export function quoteOf({ money, clock, caller }: WalletContext, db: Executes, work: Asked): Promise<Quote> {
  return money.quote(db, { ...work, accountId: caller.accountId, nowMs: clock.nowMs() });
}

/**
 * Refuses work before it begins if the account cannot pay for it, without a reservation. The work is charged with its last write, which may
 * still refuse.
 *
 * @returns the price, valid unless the account does similar work meanwhile.
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`.
 */
export async function assertSufficientBalance(context: WalletContext, work: Asked): Promise<Quote> {
  return assertQuoted(context, await read(context, (db) => quoteOf(context, db, work)));
}

/** As `assertSufficientBalance`, for work whose price was read with something else. */
export async function assertQuoted(context: WalletContext, quote: Quote): Promise<Quote> {
  const isLater = !isPayable(quote) && (await mayPayLater(context, quote.amount));
  const current = isLater ? await read(context, (db) => quoteOf(context, db, quote)) : quote;
  assertPayable(current);
  return current;
}
