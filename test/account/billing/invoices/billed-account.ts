import { generateKeyPairSync, hash, randomUUID, sign } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLANS } from '../../../../generated/plans.ts';
import { headBytes } from '../../../../runtime/audit-bytes.ts';
import { type BillItem, readBill } from '../../../../runtime/bill.ts';
import { fromHex, toHex } from '../../../../runtime/hex.ts';
import { readAuditRecord } from '../../../../runtime/read-audit-record.ts';
import { type BillVerdict, verifyBill } from '../../../../runtime/verify-bill.ts';
import { appendAudit } from '../../../../src/account/audit/append-audit.ts';
import { isSignatureOf } from '../../../../src/account/audit/audit-head.ts';
import { hashRecord } from '../../../../src/account/audit/record-hash.ts';
import { showCharge } from '../../../../src/account/audit/show-record.ts';
import { signDueHeads } from '../../../../src/account/audit/sign-heads.ts';
import type { BillingNotice } from '../../../../src/account/billing/invoices/billing-notice.ts';
import { monthsToClose } from '../../../../src/account/billing/invoices/run-billing.ts';
import { readInvoice } from '../../../../src/account/billing/invoices/read-invoices.ts';
import { showCreditNote } from '../../../../src/account/billing/invoices/show-credit-note.ts';
import { createMoney } from '../../../../src/account/billing/books/money.ts';
import { type Operation, type PriceBook, SPEC_PRICES } from '../../../../src/account/billing/books/prices.ts';
import { auditHeads, auditRecords } from '../../../../src/store/audit-tables.ts';
import { and, asc, eq, gte, sql } from '../../../../src/store/drizzle.ts';
import type { Store } from '../../../../src/store/open-store.ts';
import { runRound } from './run-round.ts';

/** Text of the invoices of tests. */
export const TEXTS = { seller: 'Seller', paymentNote: 'By transfer', paymentDays: 30 };

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const RAW_KEY = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);

/** The key that heads of tests are signed with, in hexadecimal digits. */
export const HEAD_KEY = toHex(RAW_KEY);

/** Charges an account, with the record that a request of it has. */
export async function charge(
  store: Store,
  { accountId, operation, units, nowMs, prices }: ChargedWork,
): Promise<void> {
  const money = createMoney({ ownerId: randomUUID(), ...(prices !== undefined && { prices }) });
  await store.transaction(async (tx) => {
    const receipt = await money.chargeNow(tx, { accountId, operation, units, nowMs });
    const fact = { action: 'sign', outcome: 'ok', requestId: 'req_1' };
    await appendAudit(tx, accountId, [{ ...fact, charges: receipt.charge && [receipt.charge] }], nowMs);
  });
}

/** Work of a test. */
export type ChargedWork = {
  readonly accountId: string;
  readonly operation: Operation;
  readonly units: number;
  readonly nowMs: number;
  /** Default: those of the specification. */
  readonly prices?: PriceBook;
};

const WEEK_MS = 7 * 24 * 3_600_000;

/** Records that the wallet service was available in all minutes of a span, but for those of another. */
export async function provedBut(
  { db }: Store,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  down?: { readonly fromMs: number; readonly untilMs: number },
): Promise<void> {
  const at = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`;
  const isUp =
    down === undefined ? sql`true` : sql`not (m >= ${at(down.fromMs)} and m < ${at(down.untilMs)})`;
  // A week at a time: a statement has a deadline.
  for (let ms = fromMs; ms < untilMs; ms += WEEK_MS) {
    const last = Math.min(ms + WEEK_MS, untilMs) - 60_000;
    await db.execute(sql`
      insert into service_minutes (minute, slots)
      select m, 4095 from generate_series(${at(ms)}, ${at(last)}, interval '1 minute') as m where ${isUp}
      on conflict (minute) do update set slots = excluded.slots`);
  }
}

/** Signs all heads that are due. */
export async function signHeads(store: Store, nowMs: number): Promise<void> {
  const headsFile = join(mkdtempSync(join(tmpdir(), 'keyslot-heads-')), 'heads');
  const key = {
    publicKey: async () => RAW_KEY,
    signHead: async (bytes: Uint8Array) => sign(null, bytes, privateKey),
  };
  await signDueHeads({ store, key, headsFile, clock: { nowMs: () => nowMs } }, true);
}

/** The dependencies of the verification of a bill, in tests. */
export const BILL_DEPS = {
  digest: async (bytes: Uint8Array) => {
    const digest = hash('sha256', bytes, 'buffer');
    return digest.buffer.slice(digest.byteOffset, digest.byteOffset + digest.length);
  },
  isSignature: async (head: { readonly public_key: string; readonly signature: string }, bytes: Uint8Array) =>
    isSignatureOf({ publicKey: fromHex(head.public_key), signature: fromHex(head.signature) }, bytes),
  prices: { book: SPEC_PRICES, credits: PLANS.service_credits.rows },
  trustedKeys: [HEAD_KEY],
};

/** Returns an invoice with the records of its charges, as a customer gets them. */
export async function billOf(store: Store, number: string): Promise<readonly BillItem[]> {
  const { invoice, notes } = await readInvoice(store.db, { number });
  const ofAccount = eq(auditRecords.accountId, invoice.account_id);
  const items: BillItem[] = [];
  const reads = {
    readInvoice: async () => ({ invoice, credit_notes: notes.map(showCreditNote) }),
    readChain: async (fromSeq: number) => {
      const rows = await store.db
        .select()
        .from(auditRecords)
        .where(and(ofAccount, gte(auditRecords.seq, fromSeq)))
        .orderBy(asc(auditRecords.seq));
      return { records: rows.map(showRow) };
    },
    readHeads: async (fromSeq: number) => {
      const rows = await store.db
        .select()
        .from(auditHeads)
        .where(and(eq(auditHeads.accountId, invoice.account_id), gte(auditHeads.seq, fromSeq)))
        .orderBy(asc(auditHeads.seq));
      const heads = rows.map(({ seq, at, ...head }) => ({
        seq,
        hash: toHex(head.hash),
        at: at.toISOString(),
        public_key: toHex(head.publicKey),
        signature: toHex(head.signature),
      }));
      return { heads };
    },
  };
  for await (const item of readBill(reads, number)) items.push(item);
  return items;
}

/** Returns a bill whose records were changed as if they had been written so: with new hashes, and heads that are signed again. */
export function signedAnew(items: readonly BillItem[]): readonly BillItem[] {
  const [first] = items;
  const accountId = first !== undefined && 'invoice' in first ? first.invoice.account_id : '';
  let hash: string | undefined;
  return items.map((item) => {
    if ('record' in item) {
      const previous = hash ?? item.record.previous_hash;
      hash = toHex(hashRecord(fromHex(previous), readAuditRecord(item.record)));
      return { record: { ...item.record, previous_hash: previous, hash } };
    }
    if (!('head' in item) || hash === undefined) return item;
    const { seq, at } = item.head;
    const bytes = headBytes({ accountId, seq, hash: fromHex(hash), atMs: Date.parse(at) });
    return { head: { ...item.head, hash, signature: toHex(sign(null, bytes, privateKey)) } };
  });
}

/** Verifies an invoice of a store, whose heads are signed with these keys; none: with any. */
export async function verifyInvoice(
  store: Store,
  number: string,
  trustedKeys: readonly string[] = [HEAD_KEY],
): Promise<BillVerdict> {
  return verifyBill({ ...BILL_DEPS, trustedKeys }, await billOf(store, number));
}

/** Closes all months that are over. @returns what happened. */
export function closeAll(store: Store, nowMs: number): Promise<readonly BillingNotice[]> {
  return runRound(monthsToClose(store, TEXTS), nowMs);
}

function showRow({
  at,
  tokenId,
  walletId,
  address,
  memberId,
  subject,
  charges,
  documentSha256,
  ...row
}: typeof auditRecords.$inferSelect) {
  return {
    account_id: row.accountId,
    seq: row.seq,
    at: at.toISOString(),
    action: row.action,
    outcome: row.outcome,
    request_id: row.requestId,
    units: row.units,
    ...(tokenId !== null && { token_id: tokenId }),
    ...(walletId !== null && { wallet_id: walletId }),
    ...(address !== null && { address }),
    ...(memberId !== null && { member_id: memberId }),
    ...(subject !== null && { subject }),
    ...(charges !== null && { charges: charges.map(showCharge) }),
    ...(documentSha256 !== null && { document_sha256: documentSha256 }),
    previous_hash: toHex(row.previousHash),
    hash: toHex(row.hash),
  };
}
