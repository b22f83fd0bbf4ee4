import { setTimeout as sleep } from 'node:timers/promises';
import { type AccountClient, createAccountClient, RestCallError } from '../../../generated/account/client.ts';
import { BillGoesBack, BillNotSigned, readBill } from '../../../runtime/bill.ts';
import { inBatches } from '../../../runtime/in-batches.ts';
import { serviceError } from '../../base/service-error.ts';
import type { Terminal } from '../../base/terminal.ts';
import type { Invocation } from '../parse-command-line.ts';
import { readServerAccess } from '../server-access.ts';
import { openPartialBill, OtherBill, type PartialBill } from './partial-bill.ts';
import { createPatientCalls, MOST_TRIES, type PatienceOptions } from './patient-calls.ts';
import { progressLine } from './progress-line.ts';

/** The most that the operations allow. */
const RECORDS = 5_000;
const HEADS = 1_000;
/** Lines that are written at once. */
const LINES = 1_000;

type Patience = Pick<PatienceOptions, 'pause'>;

/**
 * `keyslot bill fetch`: writes an invoice with the signed records of its charges to a new file, a line of JSON for each. What is not whole
 * is `<file>.part`: the next run goes on behind its last record.
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
    throw mistake(`${path} cannot be written: ${messageOf(error)}`);
  });
  if (part.found !== undefined && part.found.records > 0)
    writeError(`Going on with ${part.path}, which has ${part.found.records} records.\n`);
  const patiently = createPatientCalls({
    pause,
    onWait: ({ ms, tries, reason }) =>
      writeError(
        `${reason}; asking again in ${Math.ceil(ms / 1_000)} s (try ${tries + 1} of ${MOST_TRIES}).\n`,
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
        throw new OtherBill(`${part.path} has another invoice than the server: delete it`);
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
  const kept = `; run the command again to go on with ${part}`;
  if (error instanceof OtherBill || error instanceof BillGoesBack) return mistake(error.message);
  if (error instanceof BillNotSigned) return mistake(error.message);
  if (error instanceof Error && 'code' in error && 'syscall' in error)
    return mistake(`${part} cannot be written: ${error.message}`);
  if (!(error instanceof RestCallError)) return error;
  const { failure } = error;
  if (failure.kind !== 'problem') return mistake(`the server refuses: ${error.message}${kept}`);
  const { retryAfterSeconds: asked } = failure;
  const later = asked === undefined ? '' : `; it asks to wait ${asked} s${kept}`;
  return mistake(`the server refuses: ${failure.problem.detail} (${failure.code})${later}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function mistake(reason: string) {
  return serviceError('invalidCommand', { reason });
}
