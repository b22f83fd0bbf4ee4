import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import {
  BILL_FORM,
  type BilledInvoice,
  type BillItem,
  type BillPlace,
  ISSUED,
  isNoteOf,
} from '../../../runtime/bill.ts';
import { fileLines } from './file-lines.ts';

/** A bill that is being written: beside its file, until it is whole. */
export type PartialBill = {
  readonly path: string;
  /** What an earlier run has left; undefined if there is nothing. */
  readonly found: FoundBill | undefined;
  readonly append: (items: readonly BillItem[]) => Promise<void>;
  /** Gives the bill its name once it is on disk. */
  readonly complete: () => Promise<void>;
  /** Closes the file, and deletes it if it has no record. */
  readonly close: () => Promise<void>;
};

/** The beginning of a bill, up to the last record that is whole; that one is read again, since its head may be missing. */
export type FoundBill = {
  readonly invoice: BilledInvoice;
  readonly place: BillPlace;
  readonly records: number;
  readonly sizeBytes: number;
};

/** The file that is continued is not the beginning of this bill. */
export class OtherBill extends Error {
  override readonly name = 'OtherBill';
}

/**
 * Opens `<path>.part`, and cuts off what does not follow from the lines before: a torn line, or what follows one.
 *
 * @throws OtherBill if it is of another invoice, or something else; a system error if it cannot be written, or `path` exists.
 */
export async function openPartialBill(path: string, number: string): Promise<PartialBill> {
  await assertFree(path);
  const part = `${path}.part`;
  const file = await open(part, 'a+', 0o600);
  try {
    const found = await findBill(file, part, number);
    await file.truncate(found?.sizeBytes ?? 0);
    return writerOf({ file, part, path, found });
  } catch (error) {
    await file.close();
    throw error;
  }
}

type Parts = {
  readonly file: FileHandle;
  readonly part: string;
  readonly path: string;
  readonly found: FoundBill | undefined;
};

function writerOf({ file, part, path, found }: Parts): PartialBill {
  let hasRecords = (found?.records ?? 0) > 0;
  return {
    ...{ path: part, found },
    append: async (items) => {
      await file.appendFile(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
      hasRecords ||= items.some((item) => 'record' in item);
    },
    complete: async () => {
      await file.sync();
      await assertFree(path);
      await rename(part, path);
    },
    close: async () => {
      await file.close();
      if (!hasRecords) await rm(part, { force: true });
    },
  };
}

async function findBill(file: FileHandle, part: string, number: string): Promise<FoundBill | undefined> {
  let invoice: BilledInvoice | undefined;
  let [sizeBytes, records, fromSeq] = [0, 0, 0];
  let [isIssued, isLastIssued] = [false, false];
  const notes: string[] = [];
  let lastNote: readonly string[] = [];
  for await (const { text, start, end } of fileLines(file)) {
    const item = parse(text);
    if (invoice === undefined) {
      if (item === undefined) return undefined;
      if (!('bill' in item) || item.bill !== BILL_FORM || item.invoice.number !== number)
        throw new OtherBill(`${part} is not the beginning of ${number}: delete it`);
      ({ invoice } = item);
      ({ from_seq: fromSeq } = invoice);
      sizeBytes = end;
      continue;
    }
    if (item === undefined || 'bill' in item || 'credit_note' in item) break;
    if ('head' in item) continue;
    const { seq, action, subject } = item.record;
    if (seq !== (records === 0 ? fromSeq : fromSeq + 1)) break;
    isIssued ||= isLastIssued;
    isLastIssued = action === ISSUED && subject === number;
    notes.push(...lastNote);
    lastNote = subject !== undefined && isNoteOf(item.record, invoice) ? [subject] : [];
    [sizeBytes, records, fromSeq] = [start, records + 1, seq];
  }
  if (invoice === undefined) return undefined;
  return { invoice, place: { fromSeq, isIssued, notes }, records: Math.max(0, records - 1), sizeBytes };
}

/** Undefined for a line that is no item of a bill. */
function parse(text: string): BillItem | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isItem = typeof value === 'object' && value !== null && MEMBERS.some((name) => name in value);
    return isItem ? (value as BillItem) : undefined;
  } catch {
    return undefined;
  }
}

const MEMBERS = ['invoice', 'record', 'head', 'credit_note'];

async function assertFree(path: string): Promise<void> {
  const isFree = await stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
  if (!isFree) throw new Error('EEXIST: it exists already');
}
