import cluster from 'node:cluster';
import { resolve } from 'node:path';
import { type Logger, pino } from 'pino';
import type { Config } from '../../generated/config.ts';
import { keepMemoryOutOfDumps } from '../base/harden-process.ts';
import { loadConfig } from '../config/load-config.ts';
import { startApp } from '../start/app.ts';
import type { ServedApp } from '../start/served-app.ts';
import { enterGatewayUser } from '../start/start-users.ts';
import { describeAsJson, describeServed } from './describe-served.ts';
import { followConfigFile } from './follow-config-file.ts';
import { nextSignal } from './next-signal.ts';
import type { OptionValues } from './read-arguments.ts';
import type { ServeStart } from './serve-start.ts';

/** Files and directories are created for this user only. */
const PRIVATE = 0o077;

type Running = {
  readonly served: ServedApp;
  /** Follows the configuration file. @returns a function that stops that. */
  readonly follow: (file: string) => () => void;
  readonly close: () => Promise<void>;
};

/**
 * `keyslot serve`: runs until SIGTERM or SIGINT, then stops in order; a second signal ends the process at once.
 *
 * @throws ServiceError with the reason why the server cannot start.
 */
export async function serve(options: OptionValues, env: NodeJS.ProcessEnv): Promise<void> {
  process.umask(PRIVATE);
  const texts = Object.entries(options).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const file = typeof options.config === 'string' ? options.config : undefined;
  const load = () => loadConfig({ file, env, cli: Object.fromEntries(texts) });
  const leavesNoMemory = keepMemoryOutOfDumps();
  if (cluster.isWorker) {
    const { serveAsWorker } = await import('./serve-as-worker.ts');
    return serveAsWorker({ file, load, createLog });
  }
  const config = load();
  const launcher = await enterGatewayUser(config, 'serve');
  const log = createLog(config);
  if (!leavesNoMemory)
    log.warn(
      'core dumps of this process may hold secrets on this system: start the server with `ulimit -c 0`',
    );
  const start = { config, file, load, log };
  const { served, follow, close } = await (config.workers === 1 ? startOne : startSeveral)(start, launcher);
  // Before the addresses are printed: a reader of them may send a signal at once.
  const signalled = nextSignal();
  process.stdout.write(
    options.json === true
      ? `${describeAsJson(served)}\n`
      : describeServed(served, resolve(config.data_dir), file),
  );
  const stopFollowing = file === undefined ? () => undefined : follow(file);
  const signal = await signalled;
  stopFollowing();
  onProgress(`${signal}: finishing requests, then stopping`);
  void nextSignal().then(() => process.exit(130));
  await close();
}

type Launcher = Awaited<ReturnType<typeof enterGatewayUser>>;

async function startOne({ config, file, load, log }: ServeStart, launcher: Launcher): Promise<Running> {
  const app = await startApp(config, log, { isOperated: file !== undefined, onProgress, launcher });
  return {
    served: app,
    follow: (path) => followConfigFile({ file: path, load, apply: app.reconfigure, log }),
    close: app.close,
  };
}

async function startSeveral({ config, log }: ServeStart, launcher: Launcher): Promise<Running> {
  const { startWorkers } = await import('../start/workers/start-workers.ts');
  const { served, reload, close } = await startWorkers(config, log, { onProgress, launcher });
  return {
    served,
    // Each worker sees by itself when the file changes.
    follow: () => {
      process.on('SIGHUP', reload);
      return () => void process.off('SIGHUP', reload);
    },
    close,
  };
}

function createLog({ log_level: level }: Config): Logger {
  return pino({ level }, pino.destination({ dest: 2, sync: true }));
}

function onProgress(step: string): void {
  process.stderr.write(`keyslot: ${step}\n`);
}
