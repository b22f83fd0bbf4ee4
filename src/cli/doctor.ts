import { pino } from 'pino';
import { askAdmin } from '../operate/admin/ask-admin.ts';
import { systemClock } from '../core/clock.ts';
import { ServiceError } from '../core/service-error.ts';
import type { Terminal } from '../core/terminal.ts';
import { loadConfig } from '../core/config/load-config.ts';
import { examine } from '../operate/doctor/examine.ts';
import type { Finding, ServerStatus } from '../operate/doctor/finding.ts';
import { enterGatewayUser } from '../serve/start-users.ts';
import type { OptionValues } from './read-arguments.ts';

const MARKS: Readonly<Record<Finding['state'], string>> = {
  ok: 'ok      ',
  warning: 'WARNING ',
  wrong: 'WRONG   ',
  skipped: '-       ',
};

/**
 * `keyslot doctor`: examines an installation and prints its faults and their remedies. Changes nothing, except that opening the store
 * closes the data directory to other users, as every command does.
 *
 * @returns the exit code: 1 if something is wrong; warnings leave it at 0.
 * @throws ServiceError `invalidConfig` with all mistakes of the settings.
 */
export async function doctor(options: OptionValues, { env, writeOut }: Terminal): Promise<number> {
  const { config: file, 'data-dir': dataDir } = options;
  const config = loadConfig({
    file: typeof file === 'string' ? file : undefined,
    env,
    cli: typeof dataDir === 'string' ? { 'data-dir': dataDir } : {},
  });
  await enterGatewayUser(config, 'other');
  const log = pino({ level: 'silent' });
  const { status, finding } = await askServer(config.data_dir);
  const found = await examine({ config, nowMs: systemClock.nowMs(), status }, log);
  const findings = [...found, ...(finding === undefined ? [] : [finding])];
  const isSound = findings.every(({ state }) => state !== 'wrong');
  writeOut(
    options.json === true ? `${JSON.stringify({ is_sound: isSound, findings })}\n` : describe(findings),
  );
  return isSound ? 0 : 1;
}

type Asked = { readonly status: ServerStatus | undefined; readonly finding?: Finding };

async function askServer(dataDir: string): Promise<Asked> {
  try {
    const answer = await askAdmin(dataDir, { kind: 'status' });
    return { status: answer?.result as ServerStatus | undefined };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const remedy = 'run this command as the user of the server; if the server hangs, check its log';
    return { status: undefined, finding: { part: 'server', state: 'wrong', detail: error.message, remedy } };
  }
}

function describe(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ part, state, detail, remedy }) =>
      `  ${MARKS[state]}${part}: ${detail}\n${remedy === undefined ? '' : `          ${remedy}\n`}`,
  );
  const count = (wanted: Finding['state']): number => findings.filter(({ state }) => state === wanted).length;
  const [wrong, warnings] = [count('wrong'), count('warning')];
  const end =
    wrong + warnings === 0
      ? 'Everything is fine.'
      : `${wrong} wrong, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`;
  return `${lines.join('')}${end}\n`;
}
