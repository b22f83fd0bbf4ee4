import { insertRows } from '../../store/insert-rows.ts';
import { wallets } from '../../store/wallet-tables.ts';
import { assertAffordable } from '../assert-affordable.ts';
import { audit } from '../audit.ts';
import { transact } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { deriveKeys, toChildRows } from './children.ts';
import { MASTER_WORK, makeMasterRow } from './master.ts';
import { type Box, placeAt } from './place.ts';
import type { WalletRow } from './wallet-row.ts';
import { withSealedKeys } from './with-sealed-keys.ts';

/**
 * Makes a new master and its children, which fit one group, in one transaction: nothing is set aside, and nothing stays of a tree that
 * comes to nothing.
 *
 * @returns the master, then its children.
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`, `signerUnavailable`, `keyBackendFailed`.
 */
export function createSmallTree(context: WalletContext, box: Box): Promise<readonly WalletRow[]> {
  return withSealedKeys(context, () => create(context, box));
}

async function create(context: WalletContext, box: Box): Promise<readonly WalletRow[]> {
  const { claim, money, clock, caller } = context;
  const { accountId } = caller;
  const units = box.accounts.count * box.change.count;
  const work = { operation: 'hd_child_derivation', units } as const;
  await assertAffordable(context, work);
  const master = await makeMasterRow(context);
  const places = Array.from({ length: units }, (_, at) => placeAt(box, at));
  const keys = await deriveKeys(context, master, places);
  const rows = [master, ...toChildRows(context, { masterId: master.id, places, keys, from: 0 })];
  await transact(context, async (tx) => {
    await claim.finish(tx, 'wallets');
    const nowMs = clock.nowMs();
    await money.chargeNow(tx, { accountId, ...MASTER_WORK, nowMs });
    await money.chargeNow(tx, { accountId, ...work, nowMs });
    await insertRows(tx, wallets, rows);
    const facts = rows.map(({ id }) => ({ action: 'create', outcome: 'ok', walletId: id }) as const);
    await audit(tx, context, facts);
  });
  claim.end();
  return rows;
}
