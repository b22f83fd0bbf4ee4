import type { Work } from '../account/money/money.ts';
import { read } from './transact.ts';
import type { WalletContext } from './wallet-context.ts';

/**
 * Refuses work before it begins where the account cannot pay for it; nothing is set aside. What the work costs is charged with its
 * last write, which may still refuse.
 *
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`.
 */
export async function assertAffordable(
  context: WalletContext,
  work: Pick<Work, 'operation' | 'units'>,
): Promise<void> {
  const { money, clock, caller } = context;
  const whole = { ...work, accountId: caller.accountId, nowMs: clock.nowMs() };
  await read(context, (db) => money.assertCanPay(db, whole));
}
