import { assertQuoted, quoteOf } from '../charging/assert-affordable.ts';
import { settle } from '../charging/settle.ts';
import { together } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { deriveKeys, toChildRows } from './children.ts';
import { MASTER_WORK, makeMasterRow } from './master.ts';
import { type DerivationRange, childIndexAt } from './child-index.ts';
import type { WalletRow } from './wallet-row.ts';
import { withSealedKeys } from './with-sealed-keys.ts';

/**
 * Makes a new master and its children, which fit one group, in one transaction: nothing is reserved, and a failed tree leaves nothing
 * behind.
 *
 * @returns the master, then its children.
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`, `signerUnavailable`, `keyBackendFailed`.
 */
export function createSmallTree(
  context: WalletContext,
  range: DerivationRange,
): Promise<readonly WalletRow[]> {
  return withSealedKeys(context, () => create(context, range));
}

async function create(context: WalletContext, range: DerivationRange): Promise<readonly WalletRow[]> {
  const units = range.accounts.count * range.change.count;
  const work = { operation: 'hd_child_derivation', units } as const;
  const [master, children] = await together(context, (db) => [
    quoteOf(context, db, MASTER_WORK),
    quoteOf(context, db, work),
  ]);
  const quotes = [await assertQuoted(context, master), await assertQuoted(context, children)];
  const made = await makeMasterRow(context);
  const indexes = Array.from({ length: units }, (_, at) => childIndexAt(range, at));
  const keys = await deriveKeys(context, made, indexes);
  const rows = [made, ...toChildRows(context, { masterId: made.id, indexes, keys, from: 0 })];
  const facts = rows.map(({ id }) => ({ action: 'create', outcome: 'ok', walletId: id }) as const);
  await settle(context, { quotes, rows, facts, answer: 'wallets' });
  context.claim.end();
  return rows;
}
