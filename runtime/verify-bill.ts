import {
  type ChainCrypto,
  type ChainFault,
  type ChainHead,
  type ChainPlace,
  type ChainRecord,
  findHeadFault,
  findRecordFault,
} from './audit-chain.ts';
import { BILL_FORM, type BilledInvoice, type BillItem, ISSUED } from './bill.ts';
import { BillNotes, type NoteFault } from './bill-notes.ts';
import { documentBytes } from './document-bytes.ts';
import { toHex } from './hex.ts';
import type { UsedPrices } from './used-prices.ts';
import { BillTally, type BillFault, type BillPrices, type Billed } from './bill-tally.ts';

/** The dependencies of verifying a bill. */
export type BillDeps = ChainCrypto & {
  readonly prices: BillPrices;
  /** Hexadecimal; empty: any key, which the verdict names. */
  readonly trustedKeys?: readonly string[];
  readonly onProgress?: (records: number) => void;
};

/** A fault of a bill: of its records, or of the invoice compared with them. */
export type BillProblem =
  | BillFault
  | NoteFault
  | { readonly kind: 'chain'; readonly fault: ChainFault }
  /** No signed head covers the records from this one on. */
  | { readonly kind: 'unsigned'; readonly seq: number }
  | { readonly kind: 'untrusted'; readonly publicKey: string }
  | { readonly kind: 'not_issued' }
  /** The invoice is not the document whose digest is in the record of its issue. */
  | { readonly kind: 'document'; readonly seq: number; readonly presented: string; readonly issued: string };

/** The result of checking a bill. `problems` is empty if the invoice matches its records. */
export type BillVerdict = {
  readonly invoice: BilledInvoice;
  readonly records: number;
  readonly heads: number;
  readonly publicKeys: readonly string[];
  /** False for an invoice from before records had digests: no signature covers its texts and dates. */
  readonly hasDigest: boolean;
  /** Micro-USD. */
  readonly billed: Billed;
  /** Micro-USD of its credit notes. */
  readonly credited: bigint;
  /** The prices of the charges, which only the customer can compare with the agreed ones. */
  readonly prices: readonly UsedPrices[];
  readonly problems: readonly BillProblem[];
};

/** The input is not a bill. */
export class NoBill extends Error {
  override readonly name = 'NoBill';
}

const BATCH = 1_000;
/** Maximum number of charge faults that are listed; the totals include all of them. */
const MOST_PROBLEMS = 20;

/**
 * Recomputes an invoice from the signed records of its charges: every number, link and hash of the records, every head, the price of each
 * charge, the lines and totals of the invoice, and its credit notes. Throws `NoBill` for items that are not a bill.
 */
export async function verifyBill(
  deps: BillDeps,
  items: AsyncIterable<BillItem> | Iterable<BillItem>,
): Promise<BillVerdict> {
  const verification = new BillVerification(deps);
  for await (const item of items) {
    await verification.take(item);
    if (verification.isBroken) break;
  }
  return verification.end();
}

class BillVerification {
  readonly #deps: BillDeps;
  readonly #problems: BillProblem[] = [];
  readonly #publicKeys = new Set<string>();
  #waiting: ChainRecord[] = [];
  #invoice: BilledInvoice | undefined;
  #tally: BillTally | undefined;
  #notes: BillNotes | undefined;
  #place: ChainPlace = { seq: 0, hash: undefined };
  #records = 0;
  #heads = 0;
  #signedUpTo = 0;
  #isIssued = false;
  #hasDigest = false;
  isBroken = false;

  constructor(deps: BillDeps) {
    this.#deps = deps;
  }

  async take(item: BillItem): Promise<void> {
    if ('invoice' in item) return this.#begin(item);
    if (this.#invoice === undefined) throw new NoBill('the first line is not an invoice');
    if ('head' in item) return this.#takeHead(item.head, this.#invoice);
    if ('credit_note' in item) return this.#notes?.addNote(item.credit_note);
    this.#waiting.push(item.record);
    if (this.#waiting.length >= BATCH) await this.#takeRecords(this.#invoice);
  }

  async end(): Promise<BillVerdict> {
    const [invoice, tally, notes] = [this.#invoice, this.#tally, this.#notes];
    if (invoice === undefined || tally === undefined || notes === undefined)
      throw new NoBill('there is no invoice');
    if (!this.isBroken) await this.#takeRecords(invoice);
    if (!this.isBroken) this.#conclude(invoice, tally);
    if (!this.isBroken) this.#problems.push(...(await notes.compare(this.#deps, tally.billed().total)));
    return {
      invoice,
      records: this.#records,
      heads: this.#heads,
      publicKeys: [...this.#publicKeys],
      hasDigest: this.#hasDigest,
      billed: tally.billed(),
      prices: tally.usedPrices(),
      credited: notes.credited(),
      problems: this.#problems,
    };
  }

  #begin({ bill, invoice }: Extract<BillItem, { readonly bill: string }>): void {
    if (bill !== BILL_FORM || this.#invoice !== undefined) throw new NoBill(`expected one ${BILL_FORM}`);
    this.#invoice = invoice;
    this.#tally = new BillTally(invoice, this.#deps.prices);
    this.#notes = new BillNotes(invoice);
    this.#place = { seq: invoice.from_seq - 1, hash: undefined };
  }

  async #takeRecords(invoice: BilledInvoice): Promise<void> {
    const { account_id: accountId, number } = invoice;
    const records = this.#waiting;
    this.#waiting = [];
    const last = records.at(-1);
    if (last === undefined) return;
    const fault = await findRecordFault(this.#deps, records, { ...this.#place, accountId });
    if (fault !== undefined) return this.#break({ kind: 'chain', fault });
    for (const record of records) {
      if (record.action === ISSUED && record.subject === number) await this.#takeIssue(record, invoice);
      this.#notes?.addRecord(record);
      const wrong = this.#tally?.add(record) ?? [];
      this.#problems.push(...wrong.slice(0, MOST_PROBLEMS - this.#problems.length));
    }
    this.#place = last;
    this.#records += records.length;
    this.#deps.onProgress?.(this.#records);
  }

  async #takeIssue({ seq, document_sha256: issued }: ChainRecord, invoice: BilledInvoice): Promise<void> {
    this.#isIssued = true;
    if (issued === undefined) return;
    this.#hasDigest = true;
    const presented = toHex(new Uint8Array(await this.#deps.digest(documentBytes('invoice', invoice))));
    if (presented !== issued) this.#problems.push({ kind: 'document', seq, presented, issued });
  }

  async #takeHead(head: ChainHead, invoice: BilledInvoice): Promise<void> {
    await this.#takeRecords(invoice);
    if (this.isBroken) return;
    const { account_id: accountId } = invoice;
    if (head.seq !== this.#place.seq)
      return this.#break({ kind: 'chain', fault: { kind: 'missing', seq: this.#place.seq + 1 } });
    const fault = await findHeadFault(this.#deps, head, { stored: this.#place.hash ?? '', accountId });
    if (fault !== undefined) return this.#break({ kind: 'chain', fault });
    const { trustedKeys = [] } = this.#deps;
    if (trustedKeys.length > 0 && !trustedKeys.includes(head.public_key))
      return this.#break({ kind: 'untrusted', publicKey: head.public_key });
    this.#publicKeys.add(head.public_key);
    this.#heads += 1;
    this.#signedUpTo = head.seq;
  }

  #conclude(invoice: BilledInvoice, tally: BillTally): void {
    if (this.#place.seq > this.#signedUpTo)
      this.#problems.push({ kind: 'unsigned', seq: Math.max(this.#signedUpTo + 1, invoice.from_seq) });
    if (!this.#isIssued) this.#problems.push({ kind: 'not_issued' });
    this.#problems.push(...tally.compare());
  }

  #break(problem: BillProblem): void {
    this.isBroken = true;
    this.#problems.push(problem);
  }
}
