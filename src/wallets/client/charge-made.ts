import type { Work } from '../../account/money/money.ts';
import { audit } from '../audit.ts';
import { transact } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

/**
 * Charges for client wallets that are made, all of them and before any leaves. Where that fails nothing is charged, and their bytes are
 * wiped.
 *
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`, where the money went to something else meanwhile.
 */
export async function chargeMade(
  context: WalletContext,
  work: Pick<Work, 'operation' | 'units'>,
  bytes: Uint8Array,
): Promise<void> {
  const { money, clock, claim, keys, caller } = context;
  try {
    await transact(context, async (tx) => {
      await claim.finish(tx, undefined);
      await money.chargeNow(tx, { ...work, accountId: caller.accountId, nowMs: clock.nowMs() });
      await audit(tx, context, [{ action: 'create', outcome: 'ok', units: work.units }]);
    });
  } catch (error) {
    keys.engine.wipe(bytes);
    throw error;
  }
}
