import { auditHeads, auditTips } from '../../store/audit-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { type AuditHead, isSignedBy } from './audit-head.ts';
import { readHeads } from './heads-file.ts';
import { GENESIS } from '../../../runtime/audit-bytes.ts';
import { readChain } from './read-chain.ts';
import { hashRecord } from './record-hash.ts';

/** A defect of an account's audit log, and the record that has it. */
export type AuditProblem = {
  readonly kind: /** A record is not what its hash says. */
    | 'edited'
    /** A record does not follow from the previous one: a record was removed, inserted or moved. */
    | 'disordered'
    | 'missing'
    /** Records are missing from the end. */
    | 'cutOff'
    /** A signed head differs: this record and all before it may have been rewritten. */
    | 'rewritten'
    /** A head is not signed by a trusted key. */
    | 'headForged';
  readonly at: number;
};

export type AuditReport = {
  readonly accountId: string;
  readonly records: number;
  /** No change up to this record goes unnoticed; 0 if no head was signed or none could be checked. */
  readonly signedUpTo: number;
  /** The first 100. */
  readonly problems: readonly AuditProblem[];
};

export type AuditVerdict = {
  /** True when nothing is wrong anywhere. */
  readonly isSound: boolean;
  readonly accounts: readonly AuditReport[];
  /** Numbers of lines of the heads file, from 1, that do not hold a head. */
  readonly damagedLines: readonly number[];
};

export type AuditDeps = {
  readonly store: Store;
  readonly headsFile: string;
  /** Keys that may sign heads. Empty: signatures are not checked. */
  readonly trustedKeys: readonly Uint8Array[];
};

const PAGE = 2_000;
const MAX_PROBLEMS = 100;

/**
 * Verifies the audit log of one account, or of all. docs/decisions/0020-audit-chain.md says which changes it finds and which nobody can find. It
 * may run while records are added.
 */
export async function verifyAudit(deps: AuditDeps, accountId?: string): Promise<AuditVerdict> {
  const { store, headsFile } = deps;
  // In this order: the records behind a head or a tip were written before it.
  const file = await readHeads(headsFile);
  const stored = await store.db.select().from(auditHeads);
  const tips = await store.db.select().from(auditTips);
  const heads = [...file.heads, ...stored.map(({ at, ...head }) => ({ ...head, atMs: at.getTime() }))];
  const owners = new Set([...tips, ...heads].map((one) => one.accountId));
  const accounts: AuditReport[] = [];
  for (const owner of [...owners].sort()) {
    if (accountId !== undefined && owner !== accountId) continue;
    const tip = tips.find((one) => one.accountId === owner)?.seq ?? 0;
    const own = heads.filter((head) => head.accountId === owner);
    accounts.push(await verifyChain(deps, { accountId: owner, tip, heads: own }));
  }
  const { damagedLines } = file;
  const isSound = damagedLines.length === 0 && accounts.every(({ problems }) => problems.length === 0);
  return { isSound, accounts, damagedLines };
}

type Chain = { readonly accountId: string; readonly tip: number; readonly heads: readonly AuditHead[] };

async function verifyChain(deps: AuditDeps, { accountId, tip, heads }: Chain): Promise<AuditReport> {
  const { store, trustedKeys } = deps;
  const isTrusted = (head: AuditHead): boolean => trustedKeys.length > 0 && isSignedBy(head, trustedKeys);
  const signed = heads.filter(isTrusted);
  const usable = trustedKeys.length === 0 ? heads : signed;
  const forged = new Set(heads.filter((head) => !usable.includes(head)).map(({ seq }) => seq));
  const problems: AuditProblem[] = [...forged].map((at) => ({ kind: 'headForged', at }));
  const stated = Map.groupBy(usable, ({ seq }) => seq);
  const end = Math.max(tip, ...usable.map(({ seq }) => seq));
  let previous: Uint8Array = GENESIS;
  let last = 0;
  let records = 0;
  for await (const row of readRecords(store, accountId, end)) {
    records += 1;
    if (row.seq !== last + 1) problems.push({ kind: 'missing', at: last + 1 });
    else if (!isEqual(row.previousHash, previous)) problems.push({ kind: 'disordered', at: row.seq });
    if (!isEqual(hashRecord(row.previousHash, { ...row, atMs: row.at.getTime() }), row.hash))
      problems.push({ kind: 'edited', at: row.seq });
    if (stated.get(row.seq)?.some(({ hash }) => !isEqual(hash, row.hash)))
      problems.push({ kind: 'rewritten', at: row.seq });
    previous = row.hash;
    last = row.seq;
  }
  if (last < end) problems.push({ kind: 'cutOff', at: last + 1 });
  const signedUpTo = Math.max(0, ...signed.map(({ seq }) => seq));
  return { accountId, records, signedUpTo, problems: problems.slice(0, MAX_PROBLEMS) };
}

/** Reads page by page: a log of any length takes the memory of one page. */
async function* readRecords(store: Store, accountId: string, end: number) {
  let fromSeq = 1;
  for (;;) {
    const page = await readChain(store, accountId, { fromSeq, limit: PAGE });
    for (const record of page) if (record.seq <= end) yield record;
    const last = page.at(-1)?.seq ?? end;
    if (page.length < PAGE || last >= end) return;
    fromSeq = last + 1;
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
