import type { SQL } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { sql } from '../../store/drizzle.ts';
import { auditRecords } from '../../store/audit-tables.ts';
import { createInsertionIfChanged, insertRows } from '../../store/insert-rows.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import {
  createStatement,
  createWrite,
  type Executes,
  type PlaceholderOf,
  type StatementResult,
} from '../../store/statement.ts';
import {
  type AuditChange,
  type AuditCharge,
  type AuditRecord,
  GENESIS,
} from '../../../runtime/audit-bytes.ts';
import { hashRecord } from './record-hash.ts';

/** An event to be recorded in the audit log. */
export type AuditFact = Pick<AuditRecord, 'action' | 'outcome' | 'requestId'> & {
  readonly tokenId?: string | undefined;
  readonly walletId?: string | undefined;
  /** Address of the client, for refused requests and for changes of an account. */
  readonly address?: string | undefined;
  /** The member who acted. */
  readonly memberId?: string | undefined;
  /** Id of the target if it is not a wallet: an API key, an access token, a member, an invitation, a session. */
  readonly subject?: string | undefined;
  /** Number of wallets or refused requests that the record covers. Default 1. */
  readonly units?: number;
  /** The charges of the transaction that appends the record. */
  readonly charges?: readonly AuditCharge[] | undefined;
  /** Of the invoice or credit note that was issued: see `documentDigest`. */
  readonly documentSha256?: string | undefined;
  /** The changes, without secrets. */
  readonly changes?: readonly AuditChange[] | undefined;
};

type Row = typeof auditRecords.$inferSelect;

/** The end of a chain. */
export type Tip = { readonly seq: number; readonly hash: Uint8Array };

type Addition = { readonly accountId: string; readonly facts: readonly AuditFact[]; readonly nowMs: number };

/**
 * Chain ends as this process last saw them. Each is a guess, which the store confirms when a record is added without a lock: another process
 * may have added to the chain, or the transaction may have failed.
 */
const guesses = new LRUCache<string, Tip>({ max: 10_000 });

/** Moves the end of a chain from one record to another. */
type Move = {
  readonly ownerId: string;
  readonly tipSeq: number;
  readonly tipHash: Uint8Array;
  readonly endSeq: number;
  readonly endHash: Uint8Array;
  readonly movedAt: string;
};

const move = (param: PlaceholderOf<Move>): SQL => sql`
  update audit_tips
  set seq = ${param('endSeq')}, hash = ${param('endHash')}, unsigned_since = coalesce(unsigned_since, ${param('movedAt')})
  where account_id = ${param('ownerId')}`;

/** Builds the SQL condition for adding a record; `param('walletId')` is the wallet that the record is about, in an array. */
type Condition = (param: PlaceholderOf<Move & { readonly walletId: unknown }>) => SQL;

const addIf = (condition: Condition) =>
  createInsertionIfChanged<typeof auditRecords, Move>(
    auditRecords,
    (param) => sql`
      ${move(param)} and seq = ${param('tipSeq')} and hash = ${param('tipHash')}
        and ${condition(param as Parameters<Condition>[0])}
      returning seq`,
  );

const addBehindTip = addIf(() => sql`true`);

const moveLocked = createWrite<Move>(move);

/**
 * Appends facts to an account's audit log, in order, in the transaction of the changes that they record. The chain is locked until that
 * transaction ends, so make this the last step, after money.
 *
 * @param locked the end of the chain, if `lockBehindBooks` has locked it.
 */
export async function appendAudit(
  tx: StoreTransaction,
  accountId: string,
  facts: readonly AuditFact[],
  nowMs: number,
  locked?: Tip,
): Promise<void> {
  if (facts.length === 0) return;
  const tip = locked ?? toTip(await lockTip(tx, { accountId, genesis: GENESIS }));
  const { rows, moved, end } = recordsBehind(tip, { accountId, facts, nowMs });
  insertRows(tx, auditRecords, rows);
  moveLocked(tx, moved);
  guesses.set(accountId, end);
}

/**
 * As `appendAuditInOwnTransaction`, subject to a condition.
 *
 * @returns a function that appends a fact in one statement and resolves to true if it did: not when the end of the chain is unknown.
 */
export function createConditionalAudit(condition: Condition) {
  const add = addIf(condition);
  return (db: Executes, accountId: string, fact: AuditFact, nowMs: number): Promise<boolean> =>
    tryAppend(db, { accountId, facts: [fact], nowMs }, add);
}

/** Appends facts when nothing else is written: in one statement if the end of the chain is known. */
export async function appendAuditInOwnTransaction(
  store: Pick<Store, 'db' | 'transaction'>,
  accountId: string,
  facts: readonly AuditFact[],
  nowMs: number,
): Promise<void> {
  if (await tryAppend(store.db, { accountId, facts, nowMs }, addBehindTip)) return;
  await store.transaction((tx) => appendAudit(tx, accountId, facts, nowMs));
}

/** Returns false, with nothing changed, when the chain ends elsewhere than this process knows. */
async function tryAppend(db: Executes, addition: Addition, add: ReturnType<typeof addIf>): Promise<boolean> {
  const guess = guesses.get(addition.accountId);
  if (guess === undefined) return false;
  const { rows, moved, end } = recordsBehind(guess, addition);
  const isAdded = await add(db, rows, moved);
  if (isAdded) guesses.set(addition.accountId, end);
  return isAdded;
}

/** Returns the records of facts that follow a tip, and the new tip. */
function recordsBehind(
  tip: Tip,
  { accountId, facts, nowMs }: Addition,
): { readonly rows: readonly Row[]; readonly moved: Move; readonly end: Tip } {
  const at = new Date(nowMs);
  let { seq, hash: previousHash } = tip;
  const rows = facts.map((fact) => {
    const { action, outcome, requestId, tokenId = null, walletId = null, units = 1, address = null } = fact;
    const { memberId = null, subject = null, charges = [], documentSha256 = null, changes = [] } = fact;
    seq += 1;
    const what = { action, outcome, tokenId, requestId, walletId, units, address, memberId, subject };
    const charged = charges.length === 0 ? null : charges;
    const changed = changes.length === 0 ? null : changes;
    const added = { charges: charged, documentSha256, changes: changed };
    const record = { accountId, seq, atMs: nowMs, ...what, ...added };
    const before = previousHash;
    previousHash = hashRecord(before, record);
    const { atMs: _instant, ...members } = record;
    return { ...members, at, previousHash: before, hash: previousHash };
  });
  const end = { seq, hash: previousHash };
  const moved = {
    ownerId: accountId,
    tipSeq: tip.seq,
    tipHash: tip.hash,
    endSeq: end.seq,
    endHash: end.hash,
    movedAt: at.toISOString(),
  };
  return { rows, moved, end };
}

/** The values of a lock, and the end of a chain as the driver reads it. */
type Locked = { readonly accountId: string; readonly genesis: Uint8Array };
type TipRow = { readonly seq: string; readonly hash: Buffer };

const lockTip = createStatement<Locked, TipRow>(
  (param) => sql`
    insert into audit_tips (account_id, seq, hash) values (${param('accountId')}, 0, ${param('genesis')})
    on conflict (account_id) do update set account_id = excluded.account_id returning seq, hash`,
);

/** Waits for the books even where there are none yet: the count has one row. */
const lockBooksAndTip = createStatement<Locked, TipRow>(
  (param) => sql`
    with books as (
      select from ledger_accounts where account_id = ${param('accountId')} and kind = 'available' for update
    )
    insert into audit_tips (account_id, seq, hash)
    select ${param('accountId')}, 0, ${param('genesis')} from (select count(*) from books) as locked
    on conflict (account_id) do update set account_id = excluded.account_id returning seq, hash`,
);

/**
 * Locks the end of an account's chain for `appendAudit`, and its books before it: it may travel with the statement that locks the books, and
 * keeps the order of locks whatever becomes of that one.
 */
export async function lockBehindBooks(tx: StoreTransaction, accountId: string): Promise<Tip> {
  return toTip(await lockBooksAndTip(tx, { accountId, genesis: GENESIS }));
}

function toTip({ rows: [tip] }: StatementResult<TipRow>): Tip {
  return tip === undefined ? { seq: 0, hash: GENESIS } : { seq: Number(tip.seq), hash: tip.hash };
}

/** A fact of the audit log of an account. */
export type AccountFact = { readonly accountId: string; readonly fact: AuditFact };

/**
 * Appends facts to the audit logs of several accounts, as `appendAudit` does. The ends of chains are locked in one order, so that two
 * transactions never wait for each other.
 */
export async function appendAudits(
  tx: StoreTransaction,
  facts: readonly AccountFact[],
  nowMs: number,
): Promise<void> {
  const logs = Map.groupBy(facts, ({ accountId }) => accountId);
  for (const [accountId, own] of [...logs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const ofLog = own.map(({ fact }) => fact);
    await appendAudit(tx, accountId, ofLog, nowMs);
  }
}
