import { once } from 'node:events';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pino } from 'pino';
import { hardenProcess } from '../base/harden-process.ts';
import { toServiceError } from '../base/service-error.ts';
import { writeDurably } from '../signer/files/write-durably.ts';
import { becomeUser, type SystemUser } from '../users/system-user.ts';
import { LineCounter, printLine } from './backup-line.ts';
import { LAST_BACKUP_FILE } from './last-backup.ts';
import { type DumpJob, dumpLines } from './dump-lines.ts';
import { type FromDump, OUTPUT, type ToDump } from './dump-messages.ts';

// The process that reads an installation as the gateway's user, and writes lines to a pipe. It ends with its parent.

hardenProcess();
process.umask(0o077);
process.on('disconnect', () => process.exit());
process.send?.({ kind: 'started' } satisfies FromDump);
const [message] = (await once(process, 'message')) as [ToDump];
if (message.kind === 'dump') await dump(message.job, message.user);

async function dump(job: DumpJob, user: SystemUser | undefined): Promise<void> {
  if (user !== undefined) becomeUser(user);
  const log = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  const counter = new LineCounter();
  async function* printed(): AsyncGenerator<string> {
    for await (const line of dumpLines(job, log)) {
      counter.add(line);
      yield printLine(line);
    }
  }
  try {
    await pipeline(Readable.from(printed()), new Socket({ fd: OUTPUT, readable: false, writable: true }));
    send({ kind: 'dumped', counts: counter.counts() });
  } catch (thrown) {
    const { code, context, cause } = toServiceError(thrown);
    if (code === 'internalError') log.error({ err: cause }, 'the installation cannot be read');
    send({ kind: 'failed', code, context });
    return;
  }
  const [kept] = (await once(process, 'message')) as [ToDump];
  if (kept.kind === 'kept')
    await writeDurably(
      join(job.store.dataDir, LAST_BACKUP_FILE),
      Buffer.from(`${JSON.stringify(kept.backup)}\n`),
    );
  process.disconnect();
}

function send(message: FromDump): void {
  process.send?.(message);
}
