import { setTimeout as sleep } from 'node:timers/promises';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { type AccountClient, createAccountClient } from '../../../generated/account/client.ts';
import {
  BillGoesBack,
  BillNotSigned,
  readBill,
  BILL_FORM,
  type BilledInvoice,
  type BillItem,
  type BillPlace,
  ISSUED,
  isNoteOf,
} from '../../../runtime/bill.ts';
import { inBatches } from '../../../runtime/in-batches.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Terminal } from '../../core/terminal.ts';
import type { Invocation } from '../parse-command-line.ts';
import { readServerAccess } from '../server-access.ts';
import { RestCallError, type RestFailure } from '../../../runtime/rest-call-error.ts';

/** The most records per request that the operations allow. */
const RECORDS = 5_000;
const HEADS = 1_000;
/** Lines per write. */
const LINES = 1_000;

type Patience = Pick<PatienceOptions, 'pause'>;

/**
 * `keyslot bill fetch`: writes an invoice with the signed records of its charges to a new file, a line of JSON for each. An unfinished file
 * is named `<file>.part`, and the next run continues after its last record.
 *
 * @throws ServiceError `invalidCommand`, also when the server refuses; a file without records is deleted then.
 */
export async function fetchBill(
  { words: [number = '', path = ''], options }: Pick<Invocation, 'words' | 'options'>,
  terminal: Terminal,
  { pause }: Patience = { pause: (ms) => sleep(ms) },
): Promise<number> {
  const { env, writeOut, writeError } = terminal;
  const { url, token } = await readServerAccess(options, env);
  const client = createAccountClient({ url, token });
  const part = await openPartialBill(path, number).catch((error: unknown) => {
    if (error instanceof OtherBill) throw mistake(error.message);
    throw mistake(`cannot write ${path}: ${messageOf(error)}`);
  });
  if (part.found !== undefined && part.found.records > 0)
    writeError(`Continuing with ${part.path}, which has ${part.found.records} records.\n`);
  const patiently = createPatientCalls({
    pause,
    onWait: ({ ms, tries, reason }) =>
      writeError(
        `${reason}; trying again in ${Math.ceil(ms / 1_000)} s (try ${tries + 1} of ${MOST_TRIES}).\n`,
      ),
  });
  try {
    const records = await writeItems({ client, patiently, part, number, progress: progressLine(terminal) });
    await part.complete();
    writeOut(`Wrote ${number} with ${records} records to ${path}. Verify it: keyslot bill verify ${path}\n`);
    return 0;
  } catch (error) {
    throw refusal(error, part.path);
  } finally {
    await part.close();
  }
}

type Writing = {
  readonly client: AccountClient;
  readonly patiently: ReturnType<typeof createPatientCalls>;
  readonly part: PartialBill;
  readonly number: string;
  readonly progress: ReturnType<typeof progressLine>;
};

/** @returns the number of records of the bill. */
async function writeItems({ client, patiently, part, number, progress }: Writing): Promise<number> {
  const reads = {
    readInvoice: (id: string) => patiently(() => client.readInvoice(id)),
    readChain: (from_seq: number) => patiently(() => client.listAuditChain({ from_seq, limit: RECORDS })),
    readHeads: (from_seq: number) => patiently(() => client.listAuditHeads({ from_seq, limit: HEADS })),
  };
  const { found } = part;
  let records = found?.records ?? 0;
  try {
    for await (const batch of inBatches(readBill(reads, number, found?.place), LINES)) {
      const items = batch.filter((item) => {
        if (!('invoice' in item) || found === undefined) return true;
        if (JSON.stringify(item.invoice) === JSON.stringify(found.invoice)) return false;
        throw new OtherBill(`${part.path} has a different invoice than the server: delete it`);
      });
      await part.append(items);
      records += items.filter((item) => 'record' in item).length;
      progress.show(records, items.findLast((item) => 'record' in item)?.record.at);
    }
  } finally {
    progress.end();
  }
  return records;
}

function refusal(error: unknown, part: string): unknown {
  const kept = `; run the command again to continue with ${part}`;
  if (error instanceof OtherBill || error instanceof BillGoesBack) return mistake(error.message);
  if (error instanceof BillNotSigned) return mistake(error.message);
  if (error instanceof Error && 'code' in error && 'syscall' in error)
    return mistake(`cannot write ${part}: ${error.message}`);
  if (!(error instanceof RestCallError)) return error;
  const { failure } = error;
  if (failure.kind !== 'problem') return mistake(`the server refused: ${error.message}${kept}`);
  const { retryAfterSeconds: asked } = failure;
  const later = asked === undefined ? '' : `; wait ${asked} s${kept}`;
  return mistake(`the server refused: ${failure.problem.detail} (${failure.code})${later}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function mistake(reason: string) {
  return serviceError('invalidCommand', { reason });
}

const CLEAR = '\r\u001B[K';

/** A progress line that is rewritten in place; silent if notes do not go to a terminal. */
function progressLine({ writeError, isInteractive = false }: Terminal) {
  let isShown = false;
  return {
    /** @param at the instant of the last record. */
    show: (records: number, at: string | undefined): void => {
      if (!isInteractive || at === undefined) return;
      isShown = true;
      writeError(
        `${CLEAR}${records.toLocaleString('en')} records, up to ${at.slice(0, 16).replace('T', ' ')} UTC`,
      );
    },
    end: (): void => {
      if (isShown) writeError(CLEAR);
      isShown = false;
    },
  };
}

/** A bill that is being written, next to its final file until it is complete. */
type PartialBill = {
  readonly path: string;
  /** The part that an earlier run has left; undefined if it left none. */
  readonly found: FoundBill | undefined;
  readonly append: (items: readonly BillItem[]) => Promise<void>;
  /** Gives the bill its name once it is on disk. */
  readonly complete: () => Promise<void>;
  /** Closes the file, and deletes it if it has no record. */
  readonly close: () => Promise<void>;
};

/** The beginning of a bill, up to the last complete record, which is read again because its head may be missing. */
type FoundBill = {
  readonly invoice: BilledInvoice;
  readonly place: BillPlace;
  readonly records: number;
  readonly sizeBytes: number;
};

/** Thrown when the file to continue is not the beginning of this bill. */
class OtherBill extends Error {
  override readonly name = 'OtherBill';
}

/**
 * Opens `<path>.part`, and cuts off a torn line and everything after it.
 *
 * @throws OtherBill if it is another invoice or another kind of file; a system error if it cannot be written, or `path` exists.
 */
async function openPartialBill(path: string, number: string): Promise<PartialBill> {
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
    path: part,
    found,
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

/** Undefined for a line that is not an item of a bill. */
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

/** A complete line of a file, without its newline, and its position in bytes. */
type FileLine = {
  readonly text: string;
  readonly start: number;
  /** The position after its newline. */
  readonly end: number;
};

/** Longer than any line of a bill. */
const MOST_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;
const PIECE_BYTES = 64 * 1024;

/**
 * Yields the lines of a file from its beginning, up to one that is unfinished or longer than 16 MiB. Takes the memory of a line. Unlike a
 * stream, it leaves the file open even if not all lines are taken.
 */
async function* fileLines(file: FileHandle): AsyncGenerator<FileLine> {
  let rest: Buffer = Buffer.alloc(0);
  let start = 0;
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let at = rest.indexOf(NEWLINE); at !== -1; at = rest.indexOf(NEWLINE, from)) {
      const end = start + at + 1 - from;
      yield { text: rest.toString('utf8', from, at), start, end };
      start = end;
      from = at + 1;
    }
    rest = rest.subarray(from);
    if (rest.length > MOST_BYTES) return;
  }
}

type PatienceOptions = {
  /** Resolves after `ms` milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  /** Called before each pause. */
  readonly onWait: (wait: { readonly ms: number; readonly tries: number; readonly reason: string }) => void;
  /** From 0 to 1. */
  readonly random?: () => number;
};

/** The most tries of one call. */
const MOST_TRIES = 6;
/** The longest requested pause that is waited for. */
const MOST_ASKED_SECONDS = 120;
const FIRST_PAUSE_MS = 1_000;
const JITTER = 0.25;
/** Status codes of a busy or restarting server, or of a proxy that cannot reach it. */
const PASSING = new Set([429, 502, 503, 504]);

/**
 * Creates a wrapper for calls that only read: a call that fails for a temporary reason is repeated after the server's `Retry-After`, or
 * after pauses that double from one second. Before the first answer, an unreachable server is an error at once: the URL may be wrong.
 */
function createPatientCalls({ pause, onWait, random = Math.random }: PatienceOptions) {
  let hasAnswered = false;
  return async <T>(call: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await call();
        hasAnswered = true;
        return answer;
      } catch (error) {
        if (!(error instanceof RestCallError) || tries >= MOST_TRIES) throw error;
        const ms = pauseAfter(error.failure, { tries, hasAnswered, random });
        if (ms === undefined) throw error;
        onWait({ ms, tries, reason: error.message });
        await pause(ms);
      }
    }
  };
}

type Try = { readonly tries: number; readonly hasAnswered: boolean; readonly random: () => number };

/** Undefined if a retry does not help. */
function pauseAfter(failure: RestFailure, { tries, hasAnswered, random }: Try): number | undefined {
  const own = FIRST_PAUSE_MS * 2 ** (tries - 1) * (1 + JITTER * random());
  if (failure.kind === 'network' || failure.kind === 'timeout') return hasAnswered ? own : undefined;
  if ((failure.kind !== 'problem' && failure.kind !== 'http') || !PASSING.has(failure.status))
    return undefined;
  const { retryAfterSeconds: asked } = failure;
  if (asked === undefined) return own;
  return asked > MOST_ASKED_SECONDS ? undefined : asked * 1_000;
}
