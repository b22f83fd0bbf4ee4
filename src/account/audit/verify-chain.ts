import { setImmediate as nextTurn } from 'node:timers/promises';
import { GENESIS } from '../../../runtime/audit-bytes.ts';
import type { Store } from '../../store/open-store.ts';
import type { ChainFindings } from './chain-findings.ts';
import { type ChainPart, readChain, readStoredHeads } from './read-chain.ts';
import { hashRecord } from './record-hash.ts';

export type Chain = {
  readonly accountId: string;
  /** The last record by the chain's tip; 0 without one. */
  readonly tip: number;
  /** The record of the last stored head; 0 without one. */
  readonly lastHead: number;
};

const RECORDS = 2_000;
/** Their signatures take a few milliseconds. */
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
  const heads = walk((part) => readStoredHeads(store, accountId, part), HEADS, lastHead);
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
  for await (const row of walk((part) => readChain(store, accountId, part), RECORDS, end)) {
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

/** Reads rows up to one page by page: a log of any length takes the memory of one page, and a server does its other work in between. */
async function* walk<T extends { readonly seq: number }>(
  read: (part: ChainPart) => Promise<readonly T[]>,
  limit: number,
  end: number,
): AsyncGenerator<T, undefined> {
  for (let fromSeq = 1; fromSeq <= end; ) {
    const page = await read({ fromSeq, limit });
    for (const row of page) if (row.seq <= end) yield row;
    const last = page.at(-1)?.seq;
    if (last === undefined || page.length < limit) return;
    fromSeq = last + 1;
    await nextTurn();
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
