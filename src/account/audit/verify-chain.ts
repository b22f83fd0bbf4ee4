import { setImmediate as nextTurn } from 'node:timers/promises';
import { GENESIS } from '../../../runtime/audit-bytes.ts';
import type { Store } from '../../store/open-store.ts';
import type { ChainFindings } from './chain-findings.ts';
import { readChain, readStoredHeads, type StoredHead, type StoredRecord } from './read-chain.ts';
import { hashRecord } from './record-hash.ts';

export type Chain = {
  readonly accountId: string;
  /** The last record by the chain's tip; 0 without one. */
  readonly tip: number;
  /** The record of the last stored head; 0 without one. */
  readonly lastHead: number;
};

const RECORDS = 2_000;
/** Their signatures take a few milliseconds: a server does its other work in between. */
const HEADS = 100;

/**
 * Walks the records of a chain and its stored heads side by side, and adds what is wrong to what is known of it. Records that come meanwhile are
 * left out.
 *
 * @returns the number of records.
 */
export async function verifyChain(
  store: Store,
  { accountId, tip, lastHead }: Chain,
  findings: ChainFindings,
): Promise<number> {
  const end = Math.max(tip, lastHead, findings.end);
  const heads = readHeads(store, accountId, lastHead);
  let head = await heads.next();
  /** Takes the heads of records before this one, which are missing, and that of this one. */
  const takeHeads = async (seq: number, hash: Uint8Array | undefined): Promise<void> => {
    for (; head.done !== true && head.value.seq <= seq; head = await heads.next()) {
      const { at, ...stated } = head.value;
      findings.addHead({ ...stated, atMs: at.getTime() }, stated.seq === seq ? hash : undefined);
    }
  };
  let previous: Uint8Array = GENESIS;
  let last = 0;
  let records = 0;
  for await (const row of readRecords(store, accountId, end)) {
    records += 1;
    if (row.seq !== last + 1) findings.add('missing', last + 1);
    else if (!isEqual(row.previousHash, previous)) findings.add('disordered', row.seq);
    if (!isEqual(hashRecord(row.previousHash, { ...row, atMs: row.at.getTime() }), row.hash))
      findings.add('edited', row.seq);
    await takeHeads(row.seq, row.hash);
    previous = row.hash;
    last = row.seq;
  }
  await takeHeads(lastHead, undefined);
  if (last < Math.max(tip, findings.end)) findings.add('cutOff', last + 1);
  return records;
}

/** Reads page by page: a log of any length takes the memory of one page. */
async function* readRecords(store: Store, accountId: string, end: number): AsyncGenerator<StoredRecord> {
  for (let fromSeq = 1; fromSeq <= end; ) {
    const page = await readChain(store, accountId, { fromSeq, limit: RECORDS });
    for (const record of page) if (record.seq <= end) yield record;
    const last = page.at(-1)?.seq;
    if (last === undefined || page.length < RECORDS) return;
    fromSeq = last + 1;
  }
}

async function* readHeads(
  store: Store,
  accountId: string,
  end: number,
): AsyncGenerator<StoredHead, undefined> {
  for (let fromSeq = 1; fromSeq <= end; ) {
    const page = await readStoredHeads(store, accountId, { fromSeq, limit: HEADS });
    for (const head of page) if (head.seq <= end) yield head;
    const last = page.at(-1)?.seq;
    if (last === undefined || page.length < HEADS) return;
    fromSeq = last + 1;
    await nextTurn();
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
