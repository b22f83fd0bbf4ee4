import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../core/config/load-config.ts';
import { checkHsm, type CheckOutcome, type HsmReport } from '../signer/hsm/check/run-checks.ts';
import { openHsm } from '../signer/hsm/open-hsm.ts';
import { signerSettings } from '../signer/settings.ts';
import { enterSignerUser } from '../serve/start-users.ts';
import type { OptionValues } from './read-arguments.ts';
import type { Terminal } from '../core/terminal.ts';

/**
 * `keyslot hsm check`: tests every promise of a key backend on the configured one and prints a report. It destroys the keys that it
 * creates; without a credential file, `soft` gets a temporary master key. It runs as the signer's user, if one is configured.
 *
 * @returns the exit code: 0 when every check passed, else 1.
 * @throws ServiceError when the configuration is wrong or the backend cannot be opened.
 */
export async function checkConfiguredHsm(
  { config: path, json }: OptionValues,
  { env, writeOut }: Terminal,
): Promise<number> {
  const file = typeof path === 'string' ? path : undefined;
  const config = loadConfig({ file, env });
  enterSignerUser(config);
  const directory = await mkdtemp(join(tmpdir(), 'keyslot-hsm-check-'));
  try {
    const { hsm: settings } = signerSettings(directory, config.hsm, config.log_level, {
      mayCreate: true,
      acceptsLoss: false,
    });
    const backend = await openHsm(settings, { directory, isFirstStart: true });
    const report = await checkHsm(backend).finally(() => backend.close());
    writeOut(json === true ? `${JSON.stringify(report)}\n` : describeHsmReport(report));
    return report.checks.some(({ outcome }) => outcome === 'broken') ? 1 : 0;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const MARKS: Readonly<Record<CheckOutcome['outcome'], string>> = {
  held: 'ok    ',
  broken: 'FAILED',
  'not supported': '-     ',
};

/** The text of `keyslot hsm check` for people. */
function describeHsmReport({ kind, protection, keys_in, derives, checks, speed }: HsmReport): string {
  const broken = checks.filter(({ outcome }) => outcome === 'broken').length;
  const absent = checks.filter(({ outcome }) => outcome === 'not supported').length;
  return `
Key backend: ${kind}
  ${protection}
  keys are stored in ${keys_in === 'row' ? "the wallet's row of the database" : 'the token'}
  HD wallets in custody managed: ${derives ? 'yes' : 'no, the backend cannot derive keys'}

${checks.map(line).join('')}
Measured: ${speed.keys} keys/s, ${speed.signatures} signatures/s

${broken === 0 ? 'All checks passed' : `${broken} of ${checks.length} checks failed`}${absent === 0 ? '' : '; - marks what this backend does not support'}.
`;
}

const line = ({ name, outcome, reason }: CheckOutcome): string =>
  `  ${MARKS[outcome]}  ${name}\n${reason === undefined ? '' : `          ${reason}\n`}`;
