import { pino } from 'pino';
import { dashboardUrlOf } from '../account/members/dashboard-url.ts';
import { runCommand } from '../admin/run-command.ts';
import { systemClock } from '../base/clock.ts';
import { headsFileOf, loadConfig } from '../config/load-config.ts';
import { urlOf } from '../start/listen-options.ts';
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
  { env, writeOut, writeError }: Terminal,
  { request, describe, work = 'other' }: Asked,
): Promise<unknown> {
  const { config: file, 'data-dir': dataDir, json } = options;
  const config = loadConfig({
    file: typeof file === 'string' ? file : undefined,
    env,
    cli: typeof dataDir === 'string' ? { 'data-dir': dataDir } : {},
  });
  const launcher = await enterGatewayUser(config, work);
  const context = {
    launcher,
    installationKeyFile: config.installation_key_file,
    headsFile: headsFileOf(config),
    dashboardUrl: dashboardUrlOf(urlOf(config.http, config)),
    hsm: config.hsm,
    store: { dataDir: config.data_dir, databaseUrl: config.database_url },
    clock: systemClock,
    log: pino({ level: 'fatal' }, pino.destination({ dest: 2, sync: true })),
    onNote: (note: string) => writeError(`keyslot: ${note}\n`),
  };
  const result = await runCommand(context, request);
  writeOut(json === true ? `${JSON.stringify(result)}\n` : describe(result));
  return result;
}
