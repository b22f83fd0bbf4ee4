import type { SQL } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { sql } from '../../store/drizzle.ts';
import { auditRecords, auditTips } from '../../store/audit-tables.ts';
import { createInsertionIfChanged } from '../../store/insert-rows.ts';
import { Unexpected } from '../../store/expectation.ts';
import type { Store, StoreTransaction } from '../../store/open-store.ts';
import type { Executes, PlaceOf } from '../../store/statement.ts';
import { type AuditRecord, GENESIS, hashRecord } from './record-hash.ts';

/** What happened. */
export type AuditFact = Pick<AuditRecord, 'action' | 'outcome' | 'requestId'> & {
  readonly tokenId?: string | undefined;
  readonly walletId?: string | undefined;
  /** Where a request that was refused came from. */
  readonly address?: string | undefined;
  /** How many wallets, or refused requests, it stands for. Default 1. */
  readonly units?: number;
};

type Row = typeof auditRecords.$inferSelect;

/** Where a chain ends. */
type Tip = { readonly seq: number; readonly hash: Uint8Array };

type Addition = { readonly accountId: string; readonly facts: readonly AuditFact[]; readonly nowMs: number };

/**
 * Where this process last saw chains end. Each is a guess, which the store confirms when a record is added to it: another process may
 * have added to the chain, or the transaction may have failed.
 */
const guesses = new LRUCache<string, Tip>({ max: 10_000 });

/** A chain that ended at one record ends at another one from now on. */
type Move = {
  readonly ownerId: string;
  readonly tipSeq: number;
  readonly tipHash: Uint8Array;
  readonly endSeq: number;
  readonly endHash: Uint8Array;
  readonly movedAt: string;
};

/** What says, in SQL, whether a record is added; `place('walletId')` is the wallet that it is about, in an array. */
type Condition = (place: PlaceOf<Move & { readonly walletId: unknown }>) => SQL;

const addIf = (condition: Condition) =>
  createInsertionIfChanged<typeof auditRecords, Move>(
    auditRecords,
    (place) => sql`
      update audit_tips
      set seq = ${place('endSeq')}, hash = ${place('endHash')}, unsigned_since = coalesce(unsigned_since, ${place('movedAt')})
      where account_id = ${place('ownerId')} and seq = ${place('tipSeq')} and hash = ${place('tipHash')}
        and ${condition(place as Parameters<Condition>[0])}
      returning seq`,
  );

const behindTip = addIf(() => sql`true`);

/**
 * Adds facts to the end of an account's audit log, in their order, in the transaction of what they tell of. The chain is locked until
 * that transaction ends: do this last in it, after money.
 */
export async function appendAudit(
  tx: StoreTransaction,
  accountId: string,
  facts: readonly AuditFact[],
  nowMs: number,
): Promise<void> {
  const addition = { accountId, facts, nowMs };
  if (facts.length > 0 && !(await tryAppend(tx, addition))) await appendLocked(tx, addition);
}

async function appendLocked(tx: StoreTransaction, addition: Addition): Promise<void> {
  const isAdded = await appendTo(await lockTip(tx, addition.accountId), addition, (rows, move) =>
    behindTip.tryChange(tx, rows, move),
  );
  if (!isAdded) throw new Error('a chain that is locked did not take a record');
}

/**
 * The same by one statement that can go together with others (see `Store.together`).
 *
 * @throws Unexpected where this process does not know the end of the chain.
 */
export async function appendAuditExpected(
  db: Executes,
  accountId: string,
  facts: readonly AuditFact[],
  nowMs: number,
): Promise<void> {
  if (facts.length === 0) return;
  const guess = guesses.get(accountId);
  if (guess === undefined) throw new Unexpected('the end of a chain is not known');
  await appendTo(guess, { accountId, facts, nowMs }, async (rows, move) => {
    await behindTip.expectChange(db, rows, move);
    return true;
  });
}

/**
 * The same where a condition holds.
 *
 * @returns what adds a fact by one statement. It tells whether it did: where the end of the chain is not known it does not.
 */
export function createConditionalAudit(condition: Condition) {
  const { tryChange } = addIf(condition);
  return (db: Executes, accountId: string, fact: AuditFact, nowMs: number): Promise<boolean> =>
    tryAppend(db, { accountId, facts: [fact], nowMs }, tryChange);
}

/** The same where nothing else is written: in one statement, where the end of the chain is known. */
export async function appendAuditAlone(
  { db }: Pick<Store, 'db'>,
  accountId: string,
  facts: readonly AuditFact[],
  nowMs: number,
): Promise<void> {
  const addition = { accountId, facts, nowMs };
  if (await tryAppend(db, addition)) return;
  await db.transaction((tx) => appendLocked(tx, addition));
}

/** False: the chain ends elsewhere than this process knows, and nothing is changed. */
async function tryAppend(
  db: Executes,
  addition: Addition,
  tryChange = behindTip.tryChange,
): Promise<boolean> {
  const guess = guesses.get(addition.accountId);
  return guess !== undefined && appendTo(guess, addition, (rows, move) => tryChange(db, rows, move));
}

/** Adds facts behind a tip, if `add` does. */
async function appendTo(
  tip: Tip,
  { accountId, facts, nowMs }: Addition,
  add: (rows: readonly Row[], move: Move) => Promise<boolean>,
): Promise<boolean> {
  const at = new Date(nowMs);
  let { seq, hash: previousHash } = tip;
  const rows = facts.map((fact) => {
    const { action, outcome, requestId, tokenId = null, walletId = null, units = 1, address = null } = fact;
    seq += 1;
    const what = { action, outcome, tokenId, requestId, walletId, units, address };
    const record = { accountId, seq, atMs: nowMs, ...what };
    const before = previousHash;
    previousHash = hashRecord(before, record);
    const { atMs: _instant, ...members } = record;
    return { ...members, at, previousHash: before, hash: previousHash };
  });
  const end = { seq, hash: previousHash };
  const isAdded = await add(rows, {
    ...{ ownerId: accountId, tipSeq: tip.seq, tipHash: tip.hash, endSeq: end.seq, endHash: end.hash },
    movedAt: at.toISOString(),
  });
  if (isAdded) guesses.set(accountId, end);
  return isAdded;
}

async function lockTip(tx: StoreTransaction, accountId: string): Promise<Tip> {
  const [tip] = await tx
    .insert(auditTips)
    .values({ accountId, seq: 0, hash: GENESIS })
    .onConflictDoUpdate({ target: auditTips.accountId, set: { accountId } })
    .returning({ seq: auditTips.seq, hash: auditTips.hash });
  return tip ?? { seq: 0, hash: GENESIS };
}
