import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../config/load-config.ts';
import { checkHsm } from '../signer/hsm/check/run-checks.ts';
import { openHsm } from '../signer/hsm/open-hsm.ts';
import { signerSettings } from '../signer/settings.ts';
import { enterSignerUser } from '../start/start-users.ts';
import type { HsmCommand } from './hsm-options.ts';
import { describeHsmReport } from './hsm-text.ts';
import type { Terminal } from './terminal.ts';

/**
 * `keyslot hsm check`: tries every promise of a key backend on the configured one and prints a report. The keys that it makes
 * are destroyed; a master key of `soft` that is not a credential file is made for the check alone. It is done as the
 * signer's user, where that has one.
 *
 * @returns the exit code: 0 when every promise held, else 1.
 * @throws ServiceError what is wrong with the configuration, or keeps the backend from being opened.
 */
export async function hsm(
  { options: { config: file, json } }: HsmCommand,
  { env, writeOut }: Terminal,
): Promise<number> {
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
