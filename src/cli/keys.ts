import { pino } from 'pino';
import { runCommand } from '../admin/run-command.ts';
import { systemClock } from '../clock.ts';
import { loadConfig } from '../config.ts';
import { serviceError } from '../service-error.ts';
import { parseDuration } from './duration.ts';
import type { KeysCommand } from './keys-options.ts';
import { describeKeys } from './keys-text.ts';

/**
 * `keyslot keys …`: by the running server of the data directory, at once; where none runs, in its store. Prints text, or
 * with `--json` one line of JSON.
 *
 * @throws ServiceError what is wrong with the command, or keeps it from being done.
 */
export async function keys(command: KeysCommand, env: NodeJS.ProcessEnv): Promise<void> {
  const { config: file, 'data-dir': dataDir, json, overlap } = command.options;
  const config = loadConfig({
    file: typeof file === 'string' ? file : undefined,
    env,
    cli: typeof dataDir === 'string' ? { 'data-dir': dataDir } : {},
  });
  const place = {
    store: { dataDir: config.data_dir, databaseUrl: config.database_url },
    clock: systemClock,
    log: pino({ level: 'fatal' }, pino.destination({ dest: 2, sync: true })),
    onNote: (note: string) => void process.stderr.write(`keyslot: ${note}\n`),
  };
  const { name, account, origin: origins, cidr: cidrs } = command.options;
  const overlapMs = readOverlap(overlap);
  const request = {
    kind: `keys.${command.action}`,
    id: command.id,
    name,
    account,
    overlapMs,
    rules: { origins, cidrs },
  };
  const result = await runCommand(place, request);
  process.stdout.write(json === true ? `${JSON.stringify(result)}\n` : describeKeys(command.action, result));
}

function readOverlap(overlap: unknown): number | undefined {
  if (typeof overlap !== 'string') return undefined;
  const overlapMs = parseDuration(overlap);
  if (overlapMs !== undefined) return overlapMs;
  throw serviceError('invalidCommand', {
    reason: `--overlap is ${JSON.stringify(overlap)}; must be such as 90s, 30m, 24h or 7d`,
  });
}
