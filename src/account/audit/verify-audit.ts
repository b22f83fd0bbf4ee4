import { setImmediate as nextTurn } from 'node:timers/promises';
import { auditHeads, auditTips } from '../../store/audit-tables.ts';
import { eq, max, sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { createStatement } from '../../store/statement.ts';
import { GENESIS, headBytes } from '../../../runtime/audit-bytes.ts';
import { type ChainPart, readChain, readStoredHeads } from './read-chain.ts';
import { hashRecord } from './record-hash.ts';
import { type AuditHead, isSignatureOf, isSignedBy } from './audit-head.ts';
import { readHeads } from './heads-file.ts';

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
  /** Numbers of lines of the heads file, from 1, that do not hold a head: the first 100. */
  readonly damagedLines: readonly number[];
  /** The keys that signed the trusted heads, in hex. */
  readonly signedBy: readonly string[];
};

export type AuditDeps = {
  readonly store: Store;
  readonly headsFile: string;
  readonly trustedKeys: TrustedKeys;
};

/** The accounts that have stored heads, each found by an index lookup, and the record of the last head. */
const selectLastHeads = createStatement<
  Record<string, never>,
  { readonly account_id: string; readonly seq: number | string }
>(
  () => sql`
    with recursive owner (account_id) as (
      (select account_id from audit_heads order by account_id limit 1)
      union all
      select (select next.account_id from audit_heads next where next.account_id > owner.account_id order by next.account_id limit 1)
      from owner where owner.account_id is not null
    )
    select account_id, (select max(seq) from audit_heads head where head.account_id = owner.account_id) as seq
    from owner where account_id is not null`,
);

/**
 * Verifies the audit log of one account, or of all. docs/decisions/0020-audit-chain.md says which changes it finds and which nobody can find. It
 * may run while records are added, and takes no more memory for more records or heads.
 */
export async function verifyAudit(deps: AuditDeps, accountId?: string): Promise<AuditVerdict> {
  const { store, trustedKeys } = deps;
  // In this order: the records that a head or a tip covers were written before it.
  const { chains, damagedLines } = await verifyHeadsFile(store, deps, accountId);
  const lastHeads = await readLastHeads(store, accountId);
  const tips = await readTips(store, accountId);
  const accounts: AuditReport[] = [];
  const signedBy = new Set<string>();
  for (const owner of [...new Set([...tips.keys(), ...lastHeads.keys(), ...chains.keys()])].sort()) {
    const findings = chains.get(owner) ?? new ChainFindings(trustedKeys);
    const chain = { accountId: owner, tip: tips.get(owner) ?? 0, lastHead: lastHeads.get(owner) ?? 0 };
    const records = await verifyChain(store, chain, findings);
    const { signedUpTo, problems } = findings;
    accounts.push({ accountId: owner, records, signedUpTo, problems });
    for (const key of findings.signedBy) signedBy.add(key);
  }
  const isSound = damagedLines.length === 0 && accounts.every(({ problems }) => problems.length === 0);
  return { isSound, accounts, damagedLines, signedBy: [...signedBy] };
}

async function readLastHeads(
  { db }: Store,
  accountId: string | undefined,
): Promise<ReadonlyMap<string, number>> {
  if (accountId !== undefined) {
    const isOwn = eq(auditHeads.accountId, accountId);
    const [last] = await db
      .select({ seq: max(auditHeads.seq) })
      .from(auditHeads)
      .where(isOwn);
    const seq = last?.seq ?? undefined;
    return new Map(seq === undefined ? [] : [[accountId, seq]]);
  }
  const { rows } = await selectLastHeads(db, {});
  return new Map(rows.map(({ account_id, seq }) => [account_id, Number(seq)]));
}

async function readTips({ db }: Store, accountId: string | undefined): Promise<ReadonlyMap<string, number>> {
  const { accountId: owner, seq } = auditTips;
  const tips = await db
    .select({ owner, seq })
    .from(auditTips)
    .where(accountId === undefined ? undefined : eq(owner, accountId));
  return new Map(tips.map((tip) => [tip.owner, tip.seq]));
}

type Chain = {
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
 * Walks the records of a chain together with its stored heads, and adds the defects to its findings. Records added meanwhile are left out.
 *
 * @returns the number of records.
 */
async function verifyChain(
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

/** Heads that are verified at a time: a server does its other work in between. */
const BATCH = 100;

type VerifiedHeadsFile = {
  readonly chains: ReadonlyMap<string, ChainFindings>;
  /** Numbers of lines, from 1, that do not hold a head: the first 100. */
  readonly damagedLines: readonly number[];
};

type Stated = {
  readonly hash: Uint8Array | null;
  readonly head_hash: Uint8Array | null;
  readonly head_key: Uint8Array | null;
  readonly head_signature: Uint8Array | null;
  readonly head_at: string | null;
};

/** The records that heads state, and the stored heads of the same records, in the order of the heads. */
const selectStated = createStatement<
  { readonly accounts: readonly string[]; readonly seqs: readonly string[] },
  Stated
>(
  (param) => sql`
    select record.hash, head.hash as head_hash, head.public_key as head_key, head.signature as head_signature,
      (extract(epoch from head.at) * 1000)::bigint::text as head_at
    from unnest(${param('accounts')}::text[]::uuid[], ${param('seqs')}::text[]::bigint[])
      with ordinality as stated (account_id, seq, position)
    left join audit_records record on record.account_id = stated.account_id and record.seq = stated.seq
    left join audit_heads head on head.account_id = stated.account_id and head.seq = stated.seq
    order by position`,
);

/**
 * Compares the heads of a heads file with the records that they state: of one account, or of all. Heads that are also stored, byte for
 * byte, are verified with the stored ones.
 */
async function verifyHeadsFile(
  store: Store,
  { headsFile, trustedKeys }: { readonly headsFile: string; readonly trustedKeys: TrustedKeys },
  accountId: string | undefined,
): Promise<VerifiedHeadsFile> {
  const chains = new Map<string, ChainFindings>();
  const damagedLines: number[] = [];
  const verify = async (heads: readonly AuditHead[]): Promise<void> => {
    const { rows } = await selectStated(store.db, {
      accounts: heads.map((head) => head.accountId),
      seqs: heads.map(({ seq }) => String(seq)),
    });
    for (const [at, head] of heads.entries()) {
      const chain = chains.get(head.accountId) ?? new ChainFindings(trustedKeys);
      chains.set(head.accountId, chain);
      const stated = rows[at];
      if (stated === undefined || !isStored(head, stated)) chain.addHead(head, stated?.hash ?? undefined);
    }
    await nextTurn();
  };
  let batch: AuditHead[] = [];
  for await (const { number, head } of readHeads(headsFile)) {
    if (head === undefined) {
      if (damagedLines.length < MAX_PROBLEMS) damagedLines.push(number);
    } else if (accountId === undefined || head.accountId === accountId) batch.push(head);
    if (batch.length < BATCH) continue;
    await verify(batch);
    batch = [];
  }
  if (batch.length > 0) await verify(batch);
  return { chains, damagedLines };
}

function isStored({ hash, publicKey, signature, atMs }: AuditHead, stated: Stated): boolean {
  const { head_hash, head_key, head_signature, head_at } = stated;
  return (
    isSame(hash, head_hash) &&
    isSame(publicKey, head_key) &&
    isSame(signature, head_signature) &&
    head_at === String(atMs)
  );
}

function isSame(one: Uint8Array, other: Uint8Array | null): boolean {
  return other !== null && Buffer.compare(one, other) === 0;
}

/** A defect of an account's audit log, and the record that has it. */
type AuditProblem = {
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

/** Keys that may sign heads; with none, signatures are not checked. `named`: whichever key a head names. */
type TrustedKeys = readonly Uint8Array[] | 'named';

const MAX_PROBLEMS = 100;

/** Findings on one chain, by its records and its signed heads, in memory that does not grow with them. */
class ChainFindings {
  readonly #trusted: TrustedKeys;
  readonly #problems = new Map<string, AuditProblem>();
  readonly #signedBy = new Set<string>();
  /** The last record that a head states, forged ones aside; 0 without one. */
  end = 0;
  /** The last record that a trusted key signed; 0 without one. */
  signedUpTo = 0;

  constructor(trusted: TrustedKeys) {
    this.#trusted = trusted;
  }

  /** The first 100, each once. */
  get problems(): readonly AuditProblem[] {
    return [...this.#problems.values()];
  }

  /** The keys in hex that signed trusted heads. */
  get signedBy(): ReadonlySet<string> {
    return this.#signedBy;
  }

  add(kind: AuditProblem['kind'], at: number): void {
    if (this.#problems.size < MAX_PROBLEMS) this.#problems.set(`${kind} ${at}`, { kind, at });
  }

  /** Takes a head, and the hash of the record that it states; undefined if there is no such record. */
  addHead(head: AuditHead, recordHash: Uint8Array | undefined): void {
    const isChecked = this.#trusted === 'named' || this.#trusted.length > 0;
    if (isChecked && !this.#isTrusted(head)) {
      this.add('headForged', head.seq);
      return;
    }
    if (isChecked) {
      this.signedUpTo = Math.max(this.signedUpTo, head.seq);
      this.#signedBy.add(Buffer.from(head.publicKey).toString('hex'));
    }
    this.end = Math.max(this.end, head.seq);
    if (recordHash !== undefined && Buffer.compare(recordHash, head.hash) !== 0)
      this.add('rewritten', head.seq);
  }

  #isTrusted(head: AuditHead): boolean {
    return this.#trusted === 'named' ? isSignatureOf(head, headBytes(head)) : isSignedBy(head, this.#trusted);
  }
}
