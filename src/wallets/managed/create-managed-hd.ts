import type { JsonAnswer, StreamAnswer } from '../../../generated/wallets/handlers.ts';
import type { HdWallets } from '../../../generated/wallets/types.ts';
import type { Reservation } from '../../account/money/reservation.ts';
import { serviceError } from '../../base/service-error.ts';
import { reserve } from '../charging/reserve.ts';
import type { WantedTree } from '../wanted.ts';
import type { WalletContext } from '../wallet-context.ts';
import { assertBatchSize } from './assert-batch-size.ts';
import { leaveWork } from './leave-work.ts';
import { childrenInGroups } from './children.ts';
import { assertNoneDestroyed, countChildren } from './children-so-far.ts';
import { isOneGroup } from './group-ranges.ts';
import { createMaster, findMaster } from './master.ts';
import type { DerivationRange } from './place.ts';
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
  { master_wallet_id: masterId, accounts, change, children, form }: WantedTree,
): Promise<JsonAnswer<HdWallets> | StreamAnswer> {
  if (!context.signer.capabilities().derive) throw serviceError('deriveNotSupported');
  const box: DerivationRange = { accounts, change };
  const known = await findMaster(context, masterId);
  if (known !== undefined) await assertNoneDestroyed(context, known.id, box);
  const units = children - (known === undefined ? 0 : await countChildren(context, known.id, box));
  assertBatchSize(context, units);
  const rows =
    known === undefined && isOneGroup(children)
      ? [await createSmallTree(context, box)]
      : derive(context, {
          ...{ known, box },
          reservation: await reserve(context, { operation: 'hd_child_derivation', units }),
        });
  if (form === 'json') return { kind: 'json', body: await gather(rows) };
  return { kind: 'stream', form, count: children + 1, chunks: printed(rows, form) };
}

type Derivation = {
  readonly known: WalletRow | undefined;
  readonly box: DerivationRange;
  readonly reservation: Reservation;
};

type Rows = AsyncGenerator<readonly WalletRow[], void, undefined>;
type Groups = Rows | readonly (readonly WalletRow[])[];

/** Yields the master, then its children in groups. */
async function* derive(context: WalletContext, { known, box, reservation }: Derivation): Rows {
  let left = box.accounts.count * box.change.count;
  try {
    const master = known ?? (await createMaster(context));
    yield [master];
    for await (const rows of childrenInGroups(context, { masterId: master.id, box, reservation })) {
      left -= rows.length;
      yield rows;
    }
  } finally {
    await leaveWork(context, reservation, left === 0);
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
