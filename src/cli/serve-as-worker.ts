import { once } from 'node:events';
import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { toServiceError } from '../base/service-error.ts';
import { startApp } from '../start/app.ts';
import { joinWorkers, type Supervised } from '../start/workers/worker-role.ts';
import { followConfigFile } from './follow-config-file.ts';
import type { ServeStart } from './serve-start.ts';

export type WorkerStart = Pick<ServeStart, 'file' | 'load'> & {
  readonly createLog: (config: Config) => Logger;
};

/**
 * `keyslot serve` in a process that a supervisor has started as one of several workers: runs until that tells it to stop, or until SIGTERM,
 * after which the supervisor starts another one. Ctrl-C reaches the supervisor too, and is left to it.
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
