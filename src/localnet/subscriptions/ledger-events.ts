import type { Advance, SlotChanges } from '../ledger-follower.ts';
import { signatureOf } from '../blocks/transaction-index.ts';
import type { Ledger } from '../ledger.ts';
import type { TransactionRecord } from '../model.ts';
import { accountKeys } from '../transaction/account-keys.ts';
import type { Watch } from './watch.ts';
import { ANY, type LevelIndex, type WatchIndex } from './watch-index.ts';

/** A watch affected by an event, and `params.result` of each of its notifications, in order. */
export type LedgerEvent = {
  readonly watch: Watch;
  readonly notify: () => readonly unknown[];
  /** True if this ends the watch. */
  readonly isLast: boolean;
};

const RECEIPT_LEVELS = ['processed', 'confirmed', 'finalized'] as const;

/** Yields the watches that a newly landed transaction affects. */
export function* eventsOfLanding(index: WatchIndex, record: TransactionRecord): Generator<LedgerEvent> {
  const { slot } = record;
  for (const level of RECEIPT_LEVELS) {
    const { signatures } = index.levels[level];
    if (signatures.size === 0) continue;
    for (const watch of signatures.get(signatureOf(record))) {
      const { notifyReceipt } = watch;
      if (notifyReceipt !== undefined) yield { watch, notify: () => [notifyReceipt(slot)], isLast: false };
    }
  }
  yield* eventsOfTransaction(index.levels.processed, record);
}

/**
 * Yields the watches that a tick affects. Processed account changes are sent at the end of their slot, once per slot; then confirmed ones,
 * then finalized ones, and last the slots themselves: a subscriber hears of a slot after its contents.
 */
export function* eventsOfAdvance(
  ledger: Ledger,
  index: WatchIndex,
  advance: Advance,
): Generator<LedgerEvent> {
  const { processed, confirmed, finalized } = index.levels;
  yield* eventsOfAccounts(ledger, processed, advance.closed);
  yield* eventsOfBlock(ledger, confirmed, advance.closed);
  yield* eventsOfBlock(ledger, finalized, advance.finalized);
  for (const watch of index.slots) yield { watch, notify: () => watch.notify(advance), isLast: false };
}

function* eventsOfBlock(ledger: Ledger, level: LevelIndex, changes: SlotChanges): Generator<LedgerEvent> {
  const records = ledger.blocks.transactions(changes.slot);
  if (level.signatures.size + level.transactions.size > 0)
    for (const record of records) yield* eventsOfTransaction(level, record);
  yield* eventsOfAccounts(ledger, level, changes);
  if (level.blocks.size === 0) return;
  const block = ledger.blocks.block(changes.slot);
  if (block === undefined) return;
  const mentioned = new Set(records.flatMap(addressesOf));
  for (const watch of level.blocks.all()) {
    const isConcerned = watch.mention === undefined || mentioned.has(watch.mention);
    yield { watch, notify: isConcerned ? () => watch.notify(block) : watch.notifyOther, isLast: false };
  }
}

function* eventsOfTransaction(
  { signatures, transactions }: LevelIndex,
  record: TransactionRecord,
): Generator<LedgerEvent> {
  if (signatures.size > 0)
    for (const watch of signatures.get(signatureOf(record)))
      yield { watch, notify: () => [watch.notify(record.meta.err, record.slot)], isLast: true };
  if (transactions.size === 0) return;
  for (const key of [ANY, ...new Set(addressesOf(record))])
    for (const watch of transactions.get(key))
      yield { watch, notify: () => listOf(watch.notify(record)), isLast: false };
}

/** Yields the watches of accounts that were written in a slot, or may differ at it. */
export function* eventsOfAccounts(
  { accounts }: Ledger,
  { accounts: watched, programs }: LevelIndex,
  { slot, written }: { readonly slot: bigint; readonly written: Iterable<string> },
): Generator<LedgerEvent> {
  if (watched.size + programs.size === 0) return;
  for (const address of new Set([...written, ...accounts.derivedAddresses])) {
    for (const watch of watched.get(address))
      yield { watch, notify: () => [watch.notify(accounts.read(address, slot), slot)], isLast: false };
    if (programs.size === 0) continue;
    const owner = accounts.ownerOf(address, slot);
    if (owner === undefined) continue;
    for (const watch of programs.get(owner)) {
      const notify = () => {
        const account = accounts.read(address, slot);
        return listOf(account && watch.notify({ address, account }, slot));
      };
      yield { watch, notify, isLast: false };
    }
  }
}

/** Undefined results are not sent. */
function listOf(result: unknown): readonly unknown[] {
  return result === undefined ? [] : [result];
}

function addressesOf({ transaction, meta }: TransactionRecord): readonly string[] {
  return accountKeys(transaction.message, meta.loadedAddresses);
}
