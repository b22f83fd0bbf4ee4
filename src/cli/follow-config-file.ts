import { accessSync, constants, readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { toServiceError } from '../base/service-error.ts';

export type FollowOptions = {
  readonly file: string;
  /** Reads the configuration; throws ServiceError `invalidConfig`. */
  readonly load: () => Config;
  /** Applies it. @returns the settings that take effect with the next start only. */
  readonly apply: (config: Config) => readonly string[];
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** True: the running configuration was read earlier; the file is read at once. Default false. */
  readonly isUnread?: boolean;
  /** How often the file is looked at. */
  readonly intervalMs?: number;
};

const INTERVAL_MS = 2_000;

/**
 * Reads the configuration file anew when it changes, and on SIGHUP. A configuration with a mistake is refused as a whole, with
 * every problem in the log, and the running one stays. A file that this process may not read, as after a change of its user, would never seem to
 * change: the log says so once.
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
      log.info({ file, needsRestart }, 'the configuration was read anew');
    } catch (error) {
      const problems = toServiceError(error)
        .message.split('\n')
        .map((line) => line.trim());
      log.error({ file, problems }, 'the configuration is refused, the running one stays');
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
    const remedy = `give it to root and the group of the user of the gateway, with mode 0640 (chown root:GROUP ${file} && chmod 0640 ${file}), and restart`;
    const user = process.geteuid?.();
    log.warn(
      { file, user, remedy },
      'the configuration file cannot be read by the user of the gateway: changes of it have no effect until a restart',
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
