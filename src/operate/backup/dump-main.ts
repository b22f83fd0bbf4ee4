import { once } from 'node:events';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Logger, pino } from 'pino';
import { hardenProcess } from '../../core/process/harden-process.ts';
import { toServiceError } from '../../core/service-error.ts';
import { writeDurably } from '../../signer/files/write-durably.ts';
import { becomeUser } from '../../core/process/system-user.ts';
import { LineCounter, printLine } from './backup-line.ts';
import { LAST_BACKUP_FILE } from './last-backup.ts';
import { type DumpJob, dumpLines } from './dump-lines.ts';
import { type FromDump, OUTPUT, type ToDump } from './dump-messages.ts';

// The process that reads an installation as the gateway's user, and writes lines to a pipe. It ends with its parent.

const NOT_NOTED =
  'the backup is complete, but the data directory could not record it: keyslot doctor will report an older one';
/** For removing the copy of a store. */
const END_MS = 15_000;

hardenProcess();
process.umask(0o077);
/** Aborted when the parent is gone or done: then the copy is removed. */
const ended = new AbortController();
const { signal } = ended;
process.on('disconnect', () => {
  ended.abort();
  setTimeout(() => process.exit(), END_MS).unref();
});
// Ctrl-C reaches this process as well, but the parent handles it.
process.on('SIGINT', () => undefined);
process.send?.({ kind: 'started' } satisfies FromDump);
await serve().catch((error: unknown) => {
  if (!signal.aborted) throw error;
});

async function serve(): Promise<void> {
  const message = await nextMessage();
  if (message.kind !== 'dump') return;
  const { job, user } = message;
  if (user !== undefined) becomeUser(user);
  const log = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  if (!(await dump(job, log))) return;
  const kept = await nextMessage();
  if (kept.kind === 'kept') {
    const path = join(job.store.dataDir, LAST_BACKUP_FILE);
    await writeDurably(path, Buffer.from(`${JSON.stringify(kept.backup)}\n`)).catch((error: Error) =>
      log.warn({ reason: error.message }, NOT_NOTED),
    );
  }
  process.disconnect();
}

/** @returns true if the installation was read to its end. */
async function dump(job: DumpJob, log: Logger): Promise<boolean> {
  const counter = new LineCounter();
  async function* printed(): AsyncGenerator<string> {
    for await (const line of dumpLines(job, log)) {
      counter.add(line);
      yield printLine(line);
    }
  }
  try {
    const output = new Socket({ fd: OUTPUT, readable: false, writable: true });
    await pipeline(Readable.from(printed()), output, { signal });
    send({ kind: 'dumped', counts: counter.counts() });
    return true;
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, context, cause } = toServiceError(thrown);
    if (code === 'internalError') log.error({ err: cause }, 'cannot read the installation');
    send({ kind: 'failed', code, context });
    return false;
  }
}

async function nextMessage(): Promise<ToDump> {
  const [message] = (await once(process, 'message', { signal })) as [ToDump];
  return message;
}

function send(message: FromDump): void {
  process.send?.(message);
}
