import type { SQL } from 'drizzle-orm';
import type { HdWallets } from '../../../generated/wallets/types.ts';
import type { JsonAnswer, StreamAnswer } from '../../../runtime/rest-operation.ts';
import { serviceError } from '../../core/service-error.ts';
import { reserve } from '../charging/reserve.ts';
import type { TreeRequest } from '../create-requests.ts';
import type { WalletContext } from '../wallet-context.ts';
import { isOneGroup, type GroupRange, groupRanges, assertBatchSize } from './group-ranges.ts';
import { printLines, toManagedWallet } from './print-wallet.ts';
import { type WalletRow, keyOf, toRow } from '../wallet-row.ts';
import { assertQuoted, quoteOf } from '../charging/assert-affordable.ts';
import { settle } from '../charging/settle.ts';
import { batched, read } from '../transact.ts';
import { withSealedKeys } from './with-sealed-keys.ts';
import type { Reservation } from '../../account/billing/books/reservation.ts';
import { printDerivationPath } from '../../core/keys/derivation-path.ts';
import type { NewKey } from '../../signer/signer.ts';
import { insertNewRows } from '../../store/insert-rows.ts';
import { wallets, derivationTombstones } from '../../store/wallet-tables.ts';
import { assertNotRevoked } from '../assert-not-revoked.ts';
import { audit, charging } from '../audit.ts';
import { transactCharge } from '../charging/pay-later.ts';
import { createWalletId } from '../wallet-id.ts';
import { endWork } from './end-work.ts';
import { findWallet, isDestroyed } from './find-wallet.ts';
import { and, eq, between, count, sql } from '../../store/drizzle.ts';
import { countMadeWallets } from './made-wallets.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { destroyedOf } from './destroyed-rows.ts';

/**
 * Derives managed wallets from a new or an existing master. Existing children are answered again and not charged; each group of new ones is
 * stored, charged and audited in one transaction, a new master in that of the first group.
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
      : treeInGroups(context, {
          known,
          range,
          reservation: await reserve(context, { operation: 'hd_child_derivation', units }),
        });
  if (form === 'json') return { kind: 'json', body: await gather(rows) };
  return { kind: 'stream', form, count: children + 1, chunks: printed(rows, form) };
}

type Groups = ReturnType<typeof treeInGroups> | readonly (readonly WalletRow[])[];

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

/**
 * Makes a new master and its children, which fit one group, in one transaction: nothing is reserved, and a failed tree leaves nothing
 * behind.
 *
 * @returns the master, then its children.
 * @throws ServiceError `balanceInsufficient`, `creditLimitReached`, `signerUnavailable`, `keyBackendFailed`.
 */
function createSmallTree(context: WalletContext, range: DerivationRange): Promise<readonly WalletRow[]> {
  return withSealedKeys(context, () => create(context, range));
}

async function create(context: WalletContext, range: DerivationRange): Promise<readonly WalletRow[]> {
  const units = range.accounts.count * range.change.count;
  const work = { operation: 'hd_child_derivation', units } as const;
  const [master, children] = await batched(context, (db) => [
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

/** A child's key, and the id of its wallet. */
type DerivedKey = { readonly id: string; readonly key: NewKey };

type Tree = {
  /** Its master; undefined for a new one. */
  readonly known: WalletRow | undefined;
  readonly range: DerivationRange;
  /** Pays for the children that do not exist yet. */
  readonly reservation: Reservation;
};

/**
 * Yields the master and the children of a range in groups, x before y; missing ones are derived, stored and charged. A new master is stored
 * and charged with its first group; each later group is derived from the current row of the master. What is left of the reservation at
 * the end is given back.
 *
 * @throws ServiceError `walletNotFound` when the master was destroyed meanwhile, `derivationDestroyed`, `tokenRevoked`, `balanceInsufficient` and
 *   `creditLimitReached` for a new master that has a price.
 */
async function* treeInGroups(
  context: WalletContext,
  { known, range, reservation }: Tree,
): AsyncGenerator<readonly WalletRow[], void, undefined> {
  let masterId = known?.id;
  let isDone = false;
  try {
    if (known !== undefined) yield [known];
    for (const group of groupRanges(0, range.accounts.count * range.change.count)) {
      context.signal.throwIfAborted();
      assertNotRevoked(context);
      const tree = { masterId, range, reservation };
      const rows = await withSealedKeys(context, () => completeGroup(context, tree, group));
      masterId ??= rows[0]?.id;
      isDone = group.isLast;
      yield rows;
    }
  } finally {
    await endWork(context, reservation, isDone);
  }
}

type GroupTree = Omit<Tree, 'known'> & {
  /** Undefined for a new master. */
  readonly masterId: string | undefined;
};

/** Returns the children of a group, after the master if it is new. */
async function completeGroup(
  context: WalletContext,
  { masterId, range, reservation }: GroupTree,
  group: GroupRange,
): Promise<readonly WalletRow[]> {
  const master = masterId === undefined ? await makeMasterRow(context) : await findWallet(context, masterId);
  const newMaster = masterId === undefined ? [master] : [];
  const indexes = Array.from({ length: group.count }, (_, at) => childIndexAt(range, group.from + at));
  const present = await readChildren(context, master.id, indexes);
  const missing = indexes.filter((index) => !present.has(childIndexKey(index)));
  const keys = await deriveKeys(context, master, missing);
  const children = toChildRows(context, { masterId: master.id, indexes: missing, keys, from: group.from });
  const made = { masterId: master.id, newMaster, children, reservation, isLast: group.isLast };
  for (const row of await store(context, made)) present.set(childIndexKey(row), row);
  // Includes children that another request stored at the same time.
  if (present.size < indexes.length) {
    for (const [key, row] of await readChildren(context, master.id, indexes)) present.set(key, row);
  }
  return [...newMaster, ...indexes.flatMap((index) => present.get(childIndexKey(index)) ?? [])];
}

/** Derives children of a master, stored or not. @throws ServiceError `derivationDestroyed`. */
async function deriveKeys(
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
function toChildRows(
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

type Made = {
  readonly masterId: string;
  /** The master, if it is not stored yet. */
  readonly newMaster: readonly WalletRow[];
  readonly children: readonly WalletRow[];
  readonly reservation: Reservation;
  readonly isLast: boolean;
};

/** @returns the children that were not stored yet. @throws ServiceError `derivationDestroyed`: nothing of the group is stored then. */
function store(
  context: WalletContext,
  { masterId, newMaster, children, reservation, isLast }: Made,
): Promise<readonly WalletRow[]> {
  const { money, clock, claim, caller } = context;
  const target = [wallets.masterId, wallets.x, wallets.y];
  return transactCharge(context, async (tx) => {
    await (isLast ? claim.finish(tx, 'wallets') : claim.hold(tx));
    const rows = [...newMaster, ...children];
    const inserted = await insertNewRows(tx, wallets, rows, { target, key: wallets.id });
    const stored = children.filter(({ id }) => inserted.has(id));
    await assertNoTombstones(tx, masterId, stored);
    const nowMs = clock.nowMs();
    const work = { accountId: caller.accountId, ...MASTER_WORK, nowMs };
    const forMaster = newMaster.length === 0 ? undefined : await money.chargeNow(tx, work);
    const charge = isLast ? money.settle : money.charge;
    const forChildren = await charge(tx, reservation, stored.length, nowMs);
    const created = [...newMaster, ...stored];
    const facts = created.map(({ id }) => ({ action: 'create', outcome: 'ok', walletId: id }) as const);
    await audit(tx, context, charging(facts, [forMaster?.charge, forChildren.charge]));
    assertNotRevoked(context);
    return stored;
  });
}

const MASTER_PATH = 'm';

/** The price row of a master. */
const MASTER_WORK = { operation: 'hd_master_creation', units: 1 } as const;

/**
 * Returns the master that a request names, or the one that an earlier try of the same request made; undefined if there is neither.
 *
 * @throws ServiceError `walletNotFound`, also for a wallet that is not a master.
 */
async function findMaster(
  context: WalletContext,
  masterId: string | undefined,
): Promise<WalletRow | undefined> {
  if (masterId !== undefined) {
    const wallet = await findWallet(context, masterId);
    if (wallet.kind !== 'master') throw serviceError('walletNotFound');
    return wallet;
  }
  const { workId, state } = context.claim;
  if (workId === undefined || state === 'new') return undefined;
  const isMade = and(eq(wallets.workId, workId), eq(wallets.kind, 'master'));
  const [made] = await read(context, (db) => db.select().from(wallets).where(isMade));
  if (made !== undefined) return findWallet(context, made.id);
  // The earlier try made nothing; otherwise the master was destroyed since, and a repeated request makes no other one.
  if (state === 'begun' && (await countMadeWallets(context)).stored === 0) return undefined;
  throw serviceError('walletNotFound');
}

/** Returns the row of a new master from random bytes. Store it together with its first children only: a master itself may be free. */
async function makeMasterRow(context: WalletContext): Promise<WalletRow> {
  const { signer, caller, clock } = context;
  const id = createWalletId();
  const key = await signer.createMaster({ walletId: id, accountId: caller.accountId });
  const facts = { id, kind: 'master', derivationPath: MASTER_PATH, workSeq: 0 } as const;
  return toRow(context, key, facts, new Date(clock.nowMs()));
}

type IndexColumns = Pick<typeof wallets, 'masterId' | 'x' | 'y'> | typeof derivationTombstones;

/** Returns the number of stored children in a range. */
async function countChildren(
  context: WalletContext,
  masterId: string,
  range: DerivationRange,
): Promise<number> {
  const [found] = await read(context, (db) =>
    db
      .select({ there: count() })
      .from(wallets)
      .where(within(wallets, masterId, range)),
  );
  return found?.there ?? 0;
}

/**
 * Returns the stored children at some indexes, by `childIndexKey`.
 *
 * @throws ServiceError `derivationDestroyed` for a row whose wallet is destroyed.
 */
async function readChildren(
  context: WalletContext,
  masterId: string,
  indexes: readonly ChildIndex[],
): Promise<Map<string, WalletRow>> {
  const isThere = at(wallets, masterId, indexes);
  const found = await read(context, (db) =>
    db
      .select({ row: wallets, isGone: sql<boolean>`${isDestroyed}` })
      .from(wallets)
      .where(isThere),
  );
  const rows = found.map(({ row }) => row);
  const gone = found.find(({ isGone }) => isGone)?.row ?? (await destroyedOf(context, rows))[0];
  if (gone !== undefined) throw serviceError('derivationDestroyed', { x: gone.x ?? 0, y: gone.y ?? 0 });
  return new Map(rows.map((row) => [childIndexKey(row), row]));
}

/** @throws ServiceError `derivationDestroyed`, naming a child of the range that was destroyed. */
async function assertNoneDestroyed(
  context: WalletContext,
  masterId: string,
  range: DerivationRange,
): Promise<void> {
  const isIn = within(derivationTombstones, masterId, range);
  const [gone] = await read(context, (db) => db.select().from(derivationTombstones).where(isIn).limit(1));
  if (gone !== undefined) throw serviceError('derivationDestroyed', { x: gone.x, y: gone.y });
}

/**
 * Checks children that were stored in this transaction: one that was destroyed while its key was derived is not stored again.
 *
 * @throws ServiceError `derivationDestroyed`.
 */
async function assertNoTombstones(
  tx: StoreTransaction,
  masterId: string,
  stored: readonly WalletRow[],
): Promise<void> {
  if (stored.length === 0) return;
  const indexes = stored.map(({ x, y }) => ({ x: x ?? 0, y: y ?? 0 }));
  const isThere = at(derivationTombstones, masterId, indexes);
  const [gone] = await tx.select().from(derivationTombstones).where(isThere).limit(1);
  if (gone !== undefined) throw serviceError('derivationDestroyed', { x: gone.x, y: gone.y });
  const isRevived = and(at(wallets, masterId, indexes), isDestroyed);
  const [revived] = await tx.select().from(wallets).where(isRevived).limit(1);
  if (revived !== undefined)
    throw serviceError('derivationDestroyed', { x: revived.x ?? 0, y: revived.y ?? 0 });
}

function at(table: IndexColumns, masterId: string, indexes: readonly ChildIndex[]): SQL | undefined {
  const [xs, ys] = [indexes.map(({ x }) => x), indexes.map(({ y }) => y)];
  const listed = sql`select * from unnest(${sql.param(xs)}::bigint[], ${sql.param(ys)}::bigint[])`;
  return and(eq(table.masterId, masterId), sql`(${table.x}, ${table.y}) in (${listed})`);
}

function within(
  table: IndexColumns,
  masterId: string,
  { accounts, change }: DerivationRange,
): SQL | undefined {
  return and(
    eq(table.masterId, masterId),
    between(table.x, accounts.start, accounts.start + accounts.count - 1),
    between(table.y, change.start, change.start + change.count - 1),
  );
}

/** Consecutive indexes. */
type Indexes = { readonly start: number; readonly count: number };

/** Every x of `accounts` with every y of `change`: m/44'/501'/x'/y'. */
type DerivationRange = { readonly accounts: Indexes; readonly change: Indexes };

/** The position of a child below its master. */
type ChildIndex = { readonly x: number; readonly y: number };

/** Returns the n-th index of a range, from 0: all changes of the first account, then of the next. */
function childIndexAt({ accounts, change }: DerivationRange, at: number): ChildIndex {
  return { x: accounts.start + Math.floor(at / change.count), y: change.start + (at % change.count) };
}

/** Returns an index as the key of a map. */
function childIndexKey({ x, y }: { readonly x: number | null; readonly y: number | null }): string {
  return `${x}/${y}`;
}
