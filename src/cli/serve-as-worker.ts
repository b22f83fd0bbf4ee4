import { once } from 'node:events';
import { accessSync, constants, readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { toServiceError } from '../core/service-error.ts';
import { startApp } from '../serve/app.ts';
import { joinWorkers, type Supervised } from '../serve/workers/worker-role.ts';

export type WorkerStart = Pick<ServeStart, 'file' | 'load'> & {
  readonly createLog: (config: Config) => Logger;
};

/**
 * `keyslot serve` in one of several worker processes of a supervisor: runs until the supervisor stops it, or until SIGTERM, after which the
 * supervisor starts another one. Ctrl-C also reaches the supervisor, which handles it.
 */
export async function serveAsWorker({ createLog, ...start }: WorkerStart): Promise<void> {
  const terminated = once(process, 'SIGTERM');
  process.on('SIGINT', () => undefined);
  const supervised = await joinWorkers();
  const log = createLog(supervised.config);
  try {
    await run({ ...start, log }, supervised, terminated);
  } catch (error) {
    const failure = toServiceError(error);
    if (failure.code === 'internalError') log.error({ err: failure.cause }, 'a worker failed');
    await supervised.fail(failure);
    process.exitCode = 1;
  }
  supervised.leave();
}

async function run(
  { file, load, log }: Omit<ServeStart, 'config'>,
  { config, isRestart, role, offer, announce, stopped }: Supervised,
  terminated: Promise<unknown>,
): Promise<void> {
  const worker = { ...role, offer };
  const app = await startApp(config, log, { isOperated: file !== undefined, worker });
  const { address, rpcPaths, hasLedger, development, hasMembers } = app;
  const stopFollowing =
    file === undefined
      ? () => undefined
      : followConfigFile({ file, load, apply: app.reconfigure, log, isUnread: isRestart });
  await announce({ address, rpcPaths, hasLedger, development, hasMembers });
  await Promise.race([stopped, terminated]);
  stopFollowing();
  await app.close();
}

/** The start parameters of a server. */
export type ServeStart = {
  readonly config: Config;
  /** The configuration file; undefined without one. */
  readonly file: string | undefined;
  /** Reads the configuration again. @throws ServiceError `invalidConfig`. */
  readonly load: () => Config;
  readonly log: Logger;
};

type FollowOptions = {
  readonly file: string;
  /** Reads the configuration; throws ServiceError `invalidConfig`. */
  readonly load: () => Config;
  /** Applies it. @returns the settings that need a restart. */
  readonly apply: (config: Config) => readonly string[];
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** True: the running configuration is older, so the file is read at once. Default false. */
  readonly isUnread?: boolean;
  /** Interval of checks for a change. */
  readonly intervalMs?: number;
};

const INTERVAL_MS = 2_000;

/**
 * Reloads the configuration file when it changes, and on SIGHUP. A configuration with a mistake is refused as a whole, with every problem
 * in the log, and the running one stays. If this process may not read the file, for example after changing its user, changes would go
 * unnoticed: the log says so once.
 *
 * @returns a function that stops that.
 */
export function followConfigFile({
  file,
  load,
  apply,
  log,
  isUnread = false,
  intervalMs = INTERVAL_MS,
}: FollowOptions): () => void {
  warnIfDenied(file, log);
  let text = readText(file);
  const read = (): void => {
    try {
      const needsRestart = apply(load());
      log.info({ file, needsRestart }, 'configuration reloaded');
    } catch (error) {
      const problems = toServiceError(error)
        .message.split('\n')
        .map((line) => line.trim());
      log.error({ file, problems }, 'invalid configuration, keeping the running one');
    }
  };
  const readIfChanged = (): void => {
    const now = readText(file);
    if (now === text) return;
    text = now;
    read();
  };
  const readOnSignal = (): void => {
    text = readText(file);
    read();
  };
  if (isUnread) read();
  watchFile(file, { interval: intervalMs, persistent: false }, readIfChanged);
  process.on('SIGHUP', readOnSignal);
  return () => {
    unwatchFile(file, readIfChanged);
    process.off('SIGHUP', readOnSignal);
  };
}

function warnIfDenied(file: string, log: FollowOptions['log']): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM') return;
    const remedy = `let root and the group of the gateway's user own it, with mode 0640 (chown root:GROUP ${file} && chmod 0640 ${file}), and restart`;
    const user = process.geteuid?.();
    log.warn(
      { file, user, remedy },
      "the gateway's user cannot read the configuration file: changes take effect only after a restart",
    );
  }
}

/** Undefined if the file cannot be read, as while an editor replaces it. */
function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
