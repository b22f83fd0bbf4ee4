import type { ChainCrypto, ChainRecord } from './audit-chain.ts';
import { type BilledInvoice, type BillNote, CREDITED } from './bill.ts';
import { documentBytes } from './document-bytes.ts';
import { toHex } from './hex.ts';
import { parseUsd, printUsd } from './micro-usd.ts';

/** A difference between the credit notes of an invoice and their records. Amounts are USD. */
export type NoteFault =
  /** A record issues a credit note that the bill lacks. */
  | { readonly kind: 'note_missing'; readonly number: string; readonly seq: number }
  /** No record issues it. */
  | { readonly kind: 'note_not_issued'; readonly number: string }
  /** The bill has it twice, or two records issue it. */
  | { readonly kind: 'note_twice'; readonly number: string }
  /** Its number is not above that of the previous credit note. */
  | { readonly kind: 'note_order'; readonly number: string; readonly seq: number; readonly before: string }
  /** It names another invoice, or its record is for another month. */
  | { readonly kind: 'note_invoice'; readonly number: string; readonly stated: string }
  | {
      readonly kind: 'note_amount';
      readonly number: string;
      readonly seq: number;
      readonly stated: string;
      readonly recorded: string;
    }
  /** It is not the document whose digest is in the record of its issue. */
  | {
      readonly kind: 'note_document';
      readonly number: string;
      readonly seq: number;
      readonly presented: string;
      readonly issued: string;
    }
  /** Their sum exceeds the amount of the invoice. */
  | { readonly kind: 'notes_above'; readonly credited: string; readonly total: string };

const NUMBER = /^CN-(\d{6,15})$/;

/** The record of a credit note. */
type Issue = {
  readonly number: string;
  readonly seq: number;
  readonly month: string;
  readonly amount: bigint;
  readonly documentSha256: string | undefined;
};

/** Compares the credit notes of a bill with the records that issue them. */
export class BillNotes {
  readonly #invoice: BilledInvoice;
  readonly #issues: Issue[] = [];
  readonly #notes: BillNote[] = [];

  constructor(invoice: BilledInvoice) {
    this.#invoice = invoice;
  }

  /** Adds a record of any kind. */
  addRecord({
    action,
    subject: number = '',
    seq,
    charges = [],
    document_sha256: documentSha256,
  }: ChainRecord) {
    const [charge] = charges;
    if (action !== CREDITED || charge === undefined) return;
    const amount = -(parseUsd(charge.amount_usd) ?? 0n);
    this.#issues.push({ number, seq, month: charge.month, amount, documentSha256 });
  }

  addNote(note: BillNote): void {
    this.#notes.push(note);
  }

  /** Returns the sum of the notes, in micro-USD. */
  credited(): bigint {
    return this.#notes.reduce((sum, { amount_usd: amount }) => sum + (parseUsd(amount) ?? 0n), 0n);
  }

  /** Returns the differences between the notes and their records. `total` is the sum of the invoice's records, in micro-USD. */
  async compare({ digest }: Pick<ChainCrypto, 'digest'>, total: bigint): Promise<readonly NoteFault[]> {
    const issues = new Map(this.#issues.map((issue) => [issue.number, issue]));
    const compared = await Promise.all(
      this.#notes.map((note) => this.#compareNote(digest, note, issues.get(note.number))),
    );
    const credited = this.credited();
    const above = { kind: 'notes_above', credited: printUsd(credited), total: printUsd(total) } as const;
    return [...this.#compareNumbers(), ...compared.flat(), ...(credited > total ? [above] : [])];
  }

  #compareNumbers(): readonly NoteFault[] {
    const own = this.#issues.filter(({ month }) => month === this.#invoice.month);
    const presented = new Set(this.#notes.map(({ number }) => number));
    const missing = own
      .filter(({ number }) => !presented.has(number))
      .map(({ number, seq }): NoteFault => ({ kind: 'note_missing', number, seq }));
    const twice = new Set([...repeated(this.#notes), ...repeated(this.#issues)]);
    const disordered = this.#issues.flatMap(({ number, seq }, index): readonly NoteFault[] => {
      const before = this.#issues[index - 1]?.number;
      const isNext = placeOf(number) > (before === undefined ? 0 : placeOf(before));
      return isNext || twice.has(number) ? [] : [{ kind: 'note_order', number, seq, before: before ?? '' }];
    });
    return [
      ...missing,
      ...Array.from(twice, (number): NoteFault => ({ kind: 'note_twice', number })),
      ...disordered,
    ];
  }

  async #compareNote(
    digest: ChainCrypto['digest'],
    note: BillNote,
    issue: Issue | undefined,
  ): Promise<readonly NoteFault[]> {
    const { number, invoice_number: stated, amount_usd: amount } = note;
    if (issue === undefined) return [{ kind: 'note_not_issued', number }];
    const { seq, month, documentSha256: issued } = issue;
    const faults: NoteFault[] = [];
    if (stated !== this.#invoice.number || month !== this.#invoice.month)
      faults.push({ kind: 'note_invoice', number, stated });
    const recorded = printUsd(issue.amount);
    if (amount !== recorded || issue.amount <= 0n)
      faults.push({ kind: 'note_amount', number, seq, stated: amount, recorded });
    if (issued === undefined) return faults;
    const presented = toHex(new Uint8Array(await digest(documentBytes('credit note', note))));
    if (presented !== issued) faults.push({ kind: 'note_document', number, seq, presented, issued });
    return faults;
  }
}

/** NaN for an invalid number. */
function placeOf(number: string): number {
  return Number(NUMBER.exec(number)?.[1]);
}

function repeated(list: readonly { readonly number: string }[]): readonly string[] {
  const numbers = list.map(({ number }) => number);
  return numbers.filter((number, index) => numbers.indexOf(number) < index);
}
