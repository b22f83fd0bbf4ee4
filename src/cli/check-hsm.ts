import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../config/load-config.ts';
import { checkHsm } from '../signer/hsm/check/run-checks.ts';
import { openHsm } from '../signer/hsm/open-hsm.ts';
import { signerSettings } from '../signer/settings.ts';
import { enterSignerUser } from '../start/start-users.ts';
import { describeHsmReport } from './hsm-text.ts';
import type { OptionValues } from './read-arguments.ts';
import type { Terminal } from '../base/terminal.ts';

/**
 * `keyslot hsm check`: tries every promise of a key backend on the configured one and prints a report. It destroys the keys that it
 * creates; a master key of `soft` that is not a credential file is created for the check alone. It runs as the signer's user,
 * where one is configured.
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
