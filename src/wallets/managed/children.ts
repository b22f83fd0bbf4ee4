import type { Reservation } from '../../account/money/reservation.ts';
import { printDerivationPath } from '../../keys/derivation-path.ts';
import { serviceError } from '../../base/service-error.ts';
import type { NewKey } from '../../signer/signer.ts';
import { insertNewRows } from '../../store/insert-rows.ts';
import { wallets } from '../../store/wallet-tables.ts';
import { audit, charging } from '../audit.ts';
import { transact } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { createWalletId } from '../wallet-id.ts';
import { assertNoTombstones, readChildren } from './stored-children.ts';
import { type GroupRange, groupRanges } from './group-ranges.ts';
import { type DerivationRange, childIndexKey, type ChildIndex, childIndexAt } from './child-index.ts';
import { findWallet } from './find-wallet.ts';
import { keyOf, toRow, type WalletRow } from './wallet-row.ts';
import { withSealedKeys } from './with-sealed-keys.ts';

/** A child's key, and the id of its wallet. */
export type DerivedKey = { readonly id: string; readonly key: NewKey };

export type Tree = {
  readonly masterId: string;
  readonly range: DerivationRange;
  /** Pays for the children that do not exist yet. */
  readonly reservation: Reservation;
};

/**
 * Yields the children of a range in groups, x before y; missing ones are derived, stored and charged. Each group is derived from the current
 * row of the master.
 *
 * @throws ServiceError `walletNotFound` when the master was destroyed meanwhile, `derivationDestroyed`.
 */
export async function* childrenInGroups(
  context: WalletContext,
  tree: Tree,
): AsyncGenerator<readonly WalletRow[], void, undefined> {
  const { accounts, change } = tree.range;
  for (const group of groupRanges(0, accounts.count * change.count)) {
    context.signal.throwIfAborted();
    yield await withSealedKeys(context, () => completeGroup(context, tree, group));
  }
}

async function completeGroup(
  context: WalletContext,
  tree: Tree,
  group: GroupRange,
): Promise<readonly WalletRow[]> {
  const { masterId, range } = tree;
  const master = await findWallet(context, masterId);
  const indexes = Array.from({ length: group.count }, (_, at) => childIndexAt(range, group.from + at));
  const present = await readChildren(context, masterId, indexes);
  const missing = indexes.filter((index) => !present.has(childIndexKey(index)));
  const keys = await deriveKeys(context, master, missing);
  const rows = toChildRows(context, { masterId, indexes: missing, keys, from: group.from });
  for (const row of await store(context, tree, rows, group.isLast)) present.set(childIndexKey(row), row);
  // Includes children that another request stored at the same time.
  if (present.size < indexes.length) {
    for (const [key, row] of await readChildren(context, masterId, indexes)) present.set(key, row);
  }
  return indexes.flatMap((index) => present.get(childIndexKey(index)) ?? []);
}

/** Derives children of a master, stored or not. @throws ServiceError `derivationDestroyed`. */
export async function deriveKeys(
  { signer, signal, caller }: WalletContext,
  master: WalletRow,
  indexes: readonly ChildIndex[],
): Promise<readonly DerivedKey[]> {
  if (indexes.length === 0) return [];
  const ids = indexes.map(createWalletId);
  const children = indexes.map(({ x, y }, at) => ({ walletId: ids[at] ?? '', x, y }));
  const sealed = { ...keyOf(master), accountId: caller.accountId };
  const derived = await signer.derive({ master: sealed, children }, { signal });
  return derived.map((key, at) => {
    if (key === 'destroyed') throw serviceError('derivationDestroyed', indexes[at] ?? { x: 0, y: 0 });
    return { id: ids[at] ?? '', key };
  });
}

type Derived = {
  readonly masterId: string;
  readonly indexes: readonly ChildIndex[];
  readonly keys: readonly DerivedKey[];
  /** Position of the first one among all of the request. */
  readonly from: number;
};

/** Returns the rows of new children. */
export function toChildRows(
  context: WalletContext,
  { masterId, indexes, keys, from }: Derived,
): readonly WalletRow[] {
  const createdAt = new Date(context.clock.nowMs());
  return keys.map(({ id, key }, at) => {
    const { x, y } = indexes[at] ?? { x: 0, y: 0 };
    const derivationPath = printDerivationPath({ x, y });
    const position = { masterId, x, y, derivationPath, workSeq: 1 + from + at };
    return toRow(context, key, { id, kind: 'child', ...position }, createdAt);
  });
}

/** @returns the children that were not stored yet. @throws ServiceError `derivationDestroyed`: nothing of the group is stored then. */
function store(
  context: WalletContext,
  { masterId, reservation }: Tree,
  rows: readonly WalletRow[],
  isLast: boolean,
): Promise<readonly WalletRow[]> {
  const { money, clock, claim } = context;
  const target = [wallets.masterId, wallets.x, wallets.y];
  return transact(context, async (tx) => {
    await (isLast ? claim.finish(tx, 'wallets') : claim.hold(tx));
    const inserted = await insertNewRows(tx, wallets, rows, { target, key: wallets.id });
    const stored = rows.filter(({ id }) => inserted.has(id));
    await assertNoTombstones(tx, masterId, stored);
    const charge = isLast ? money.settle : money.charge;
    const receipt = await charge(tx, reservation, stored.length, clock.nowMs());
    const facts = stored.map(({ id }) => ({ action: 'create', outcome: 'ok', walletId: id }) as const);
    await audit(tx, context, charging(facts, [receipt.charge]));
    return stored;
  });
}
