import type { JsonAnswer, StreamAnswer } from '../../../generated/wallets/handlers.ts';
import type { HdWallets } from '../../../generated/wallets/types.ts';
import type { Reservation } from '../../account/money/reservation.ts';
import { serviceError } from '../../base/service-error.ts';
import { reserve } from '../charging/reserve.ts';
import type { TreeRequest } from '../create-requests.ts';
import type { WalletContext } from '../wallet-context.ts';
import { assertBatchSize } from './assert-batch-size.ts';
import { endWork } from './end-work.ts';
import { childrenInGroups } from './children.ts';
import { assertNoneDestroyed, countChildren } from './stored-children.ts';
import { isOneGroup } from './group-ranges.ts';
import { createMaster, findMaster } from './master.ts';
import type { DerivationRange } from './child-index.ts';
import { printLines, toManagedWallet } from './print-wallet.ts';
import { createSmallTree } from './small-tree.ts';
import type { WalletRow } from './wallet-row.ts';

/**
 * Derives managed wallets from a new or an existing master. Existing children are answered again and not charged; each group of new ones is
 * stored, charged and audited in one transaction.
 *
 * @throws ServiceError `deriveNotSupported`, `managedBatchTooLarge`, `walletNotFound`, `derivationDestroyed`, `balanceInsufficient`,
 *   `creditLimitReached`, `signerUnavailable`, `keyBackendFailed`.
 */
export async function createManagedHd(
  context: WalletContext,
  { master_wallet_id: masterId, accounts, change, children, form }: TreeRequest,
): Promise<JsonAnswer<HdWallets> | StreamAnswer> {
  if (!context.signer.capabilities().derive) throw serviceError('deriveNotSupported');
  const range: DerivationRange = { accounts, change };
  const known = await findMaster(context, masterId);
  if (known !== undefined) await assertNoneDestroyed(context, known.id, range);
  const units = children - (known === undefined ? 0 : await countChildren(context, known.id, range));
  assertBatchSize(context, units);
  const rows =
    known === undefined && isOneGroup(children)
      ? [await createSmallTree(context, range)]
      : derive(context, {
          ...{ known, range },
          reservation: await reserve(context, { operation: 'hd_child_derivation', units }),
        });
  if (form === 'json') return { kind: 'json', body: await gather(rows) };
  return { kind: 'stream', form, count: children + 1, chunks: printed(rows, form) };
}

type Derivation = {
  readonly known: WalletRow | undefined;
  readonly range: DerivationRange;
  readonly reservation: Reservation;
};

type Rows = AsyncGenerator<readonly WalletRow[], void, undefined>;
type Groups = Rows | readonly (readonly WalletRow[])[];

/** Yields the master, then its children in groups. */
async function* derive(context: WalletContext, { known, range, reservation }: Derivation): Rows {
  let left = range.accounts.count * range.change.count;
  try {
    const master = known ?? (await createMaster(context));
    yield [master];
    for await (const rows of childrenInGroups(context, { masterId: master.id, range, reservation })) {
      left -= rows.length;
      yield rows;
    }
  } finally {
    await endWork(context, reservation, left === 0);
  }
}

async function gather(groups: Groups): Promise<HdWallets> {
  const rows: WalletRow[] = [];
  for await (const group of groups) rows.push(...group);
  const [master, ...wallets] = rows.map(toManagedWallet);
  if (master === undefined) throw serviceError('keyBackendFailed');
  return { master, wallets };
}

async function* printed(groups: Groups, form: StreamAnswer['form']): StreamAnswer['chunks'] {
  let isFirst = true;
  for await (const rows of groups) {
    yield { bytes: printLines(rows, form, isFirst), count: rows.length };
    isFirst = false;
  }
}
