import { pino } from 'pino';
import type { CommandContext } from '../admin/command-context.ts';
import { runCommand } from '../admin/run-command.ts';
import { systemClock } from '../base/clock.ts';
import { headsFileOf, loadConfig } from '../config/load-config.ts';
import { configuredUrl } from '../start/listen-options.ts';
import { enterGatewayUser, type Work } from '../start/start-users.ts';
import type { OptionValues } from './read-arguments.ts';
import type { Terminal } from '../base/terminal.ts';

type Asked = {
  readonly request: unknown;
  readonly describe: (result: unknown) => string;
  readonly work?: Work;
};

/**
 * Sends a request to the server of the data directory; where none runs, does what it asks in its store. Prints the result for
 * people or, with `--json`, as one line of JSON.
 *
 * @returns the result.
 * @throws ServiceError with the mistake in the request, or the reason why it failed.
 */
export async function askServer(
  options: OptionValues,
  terminal: Terminal,
  { request, describe, work = 'other' }: Asked,
): Promise<unknown> {
  const result = await runCommand(await openContext(options, terminal, work), request);
  terminal.writeOut(options.json === true ? `${JSON.stringify(result)}\n` : describe(result));
  return result;
}

/** Returns the place that a command acts on, by its options. @throws ServiceError `invalidConfig`. */
export async function openContext(
  { config: file, 'data-dir': dataDir }: OptionValues,
  { env, writeError }: Terminal,
  work: Work,
): Promise<CommandContext> {
  const config = loadConfig({
    file: typeof file === 'string' ? file : undefined,
    env,
    cli: typeof dataDir === 'string' ? { 'data-dir': dataDir } : {},
  });
  const launcher = await enterGatewayUser(config, work);
  return {
    launcher,
    installationKeyFile: config.installation_key_file,
    headsFile: headsFileOf(config),
    baseUrl: configuredUrl(config),
    hsm: config.hsm,
    store: { dataDir: config.data_dir, databaseUrl: config.database_url },
    clock: systemClock,
    log: pino({ level: 'fatal' }, pino.destination({ dest: 2, sync: true })),
    onNote: (note: string) => writeError(`keyslot: ${note}\n`),
  };
}
