import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { childOptions } from '../../core/process/harden-process.ts';
import { programUrl } from '../../core/program.ts';
import { ServiceError, serviceError } from '../../core/service-error.ts';
import { foreignEnvironment } from '../../core/process/supervised-child.ts';
import type { SystemUser } from '../../core/process/system-user.ts';
import type { BackupCounts } from './backup-line.ts';
import type { DumpJob } from './dump-lines.ts';
import { type FromDump, OUTPUT, type ToDump } from './dump-messages.ts';
import type { LastBackup } from './last-backup.ts';

/** A process that reads an installation. */
export type DumpChild = {
  /** Lines of a backup, as bytes. @throws ServiceError with the reason why it cannot be read to its end. */
  readonly bytes: () => AsyncGenerator<Buffer>;
  /** Counts the content of the bytes, once they have been read. */
  readonly counts: () => BackupCounts;
  /** Reports that the backup is in its place, and waits until that is recorded. */
  readonly keep: (backup: LastBackup) => Promise<void>;
  readonly close: () => void;
};

const MODULE = fileURLToPath(programUrl(new URL('./dump-main.ts', import.meta.url)));

/** Time to remove the copy of a store. */
const END_MS = 20_000;

/** Starts a process that reads an installation as `user`, or as the user of this process. It ends with this process. */
export async function startDump(job: DumpJob, user: SystemUser | undefined): Promise<DumpChild> {
  const { NODE_OPTIONS: _options, NODE_COMPILE_CACHE: compiled, ...env } = foreignEnvironment();
  const child = fork(MODULE, [], {
    env: user === undefined ? { ...env, NODE_COMPILE_CACHE: compiled } : env,
    execArgv: childOptions(),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
  });
  const exited = once(child, 'exit');
  const outcome = Promise.withResolvers<FromDump>();
  child.on('message', (message: FromDump) => {
    if (message.kind !== 'started') outcome.resolve(message);
  });
  // Stays for later errors too, such as a failed kill: an error event without a listener would end this process.
  child.on('error', (error) => outcome.reject(refuse(error.message, error)));
  exited.then(
    () => outcome.reject(ended(child)),
    () => undefined,
  );
  outcome.promise.catch(() => undefined);
  await Promise.race([once(child, 'message'), exited]).catch((error: Error) => {
    throw refuse(error.message, error);
  });
  send(child, { kind: 'dump', job, user });
  let counts: BackupCounts | undefined;
  async function* bytes(): AsyncGenerator<Buffer> {
    let failure: unknown;
    try {
      for await (const part of child.stdio[OUTPUT] as Readable) yield part as Buffer;
    } catch (error) {
      failure = error;
    }
    const message = await outcome.promise;
    if (message.kind === 'failed') throw new ServiceError(message.code, message.context);
    if (failure !== undefined) throw failure;
    if (message.kind === 'dumped') counts = message.counts;
  }
  return {
    bytes,
    counts: () => counts ?? { tables: {}, files: {} },
    keep: async (backup) => {
      send(child, { kind: 'kept', backup });
      await exited;
    },
    close: () => {
      // It removes its copy, and ends. It may run as another user, whose processes root may not kill without CAP_KILL.
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS).unref();
      child.once('exit', () => clearTimeout(timer));
    },
  };
}

function send(child: ChildProcess, message: ToDump): void {
  if (child.connected) child.send(message);
}

function ended({ exitCode, signalCode }: ChildProcess): Error {
  return refuse(`it ended with ${signalCode ?? `exit code ${exitCode}`}`);
}

function refuse(reason: string, cause?: unknown): Error {
  return serviceError('copyRefused', { where: 'the process that reads the store', reason }, cause);
}
