import { and, asc, between, eq } from '../../store/drizzle.ts';
import { insertNewRows } from '../../store/insert-rows.ts';
import type { Store } from '../../store/open-store.ts';
import { signerTombstones } from '../../store/signer-tables.ts';
import type { Executes } from '../../store/statement.ts';
import { withStoreErrors } from '../../store/store-errors.ts';
import {
  addEntries,
  EMPTY_RECORD,
  ENTRY_BYTES,
  isSameRecord,
  type RecordState,
} from '../../signer/tombstones/record-chain.ts';
import { WHERE, isGenuine, type TombstoneHead } from './known-signers.ts';

const PAGE = 4_096;

/**
 * Adds entries of a signer's record to its copy; existing entries stay as they are.
 *
 * @param after number of entries before them.
 * @returns the number of added entries.
 */
export async function addToCopy(
  db: Executes,
  signer: Uint8Array,
  after: number,
  entries: Buffer,
): Promise<number> {
  const rows = Array.from({ length: entries.length / ENTRY_BYTES }, (_, index) => ({
    signer,
    seq: after + index + 1,
    fingerprint: entries.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES),
  }));
  const { signer: owner, seq } = signerTombstones;
  await insertNewRows(db, signerTombstones, rows, { target: [owner, seq], key: seq });
  return rows.length;
}

/** Reads the entries of a signer's copy in order, page by page, up to a number. */
export async function* readCopy(
  { db }: Pick<Store, 'db'>,
  signer: Uint8Array,
  upTo: number,
): AsyncGenerator<Buffer> {
  const { signer: owner, seq, fingerprint } = signerTombstones;
  for (let after = 0; after < upTo; ) {
    const rows = await withStoreErrors(WHERE, () =>
      db
        .select({ seq, fingerprint })
        .from(signerTombstones)
        .where(and(eq(owner, signer), between(seq, after + 1, upTo)))
        .orderBy(asc(seq))
        .limit(PAGE),
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield Buffer.concat(rows.map((row) => row.fingerprint));
    after = last.seq;
  }
}

/**
 * True when the copy of a signer's record matches the signer's statement: nothing was removed or changed. Entries that the signer added
 * since are ignored.
 */
export async function isCopyWhole(store: Pick<Store, 'db'>, head: TombstoneHead): Promise<boolean> {
  let read: RecordState = EMPTY_RECORD;
  for await (const entries of readCopy(store, head.publicKey, head.count)) read = addEntries(read, entries);
  return isSameRecord(read, head) && isGenuine(head);
}
