import { join } from 'node:path';
import type { Logger } from 'pino';
import { serviceError } from '../../../core/service-error.ts';
import { type CopySource, openCopySource } from '../../../store/copy/copy-source.ts';
import { compareMigrations, MIGRATIONS } from '../../../store/migrate.ts';
import { hasStore } from '../../../store/open-store.ts';
import type { Check, Finding, Installation, ServerStatus } from '../finding.ts';
import { checkInstallationKey } from './installation-key.ts';

const part = 'store';
/** A code of a second factor is valid for 30 s, before and after. */
const WRONG_CLOCK_MS = 30_000;
const DOUBTFUL_CLOCK_MS = 2_000;

/**
 * Checks that the store can be reached and has the tables of this version, that its clock agrees with this machine's, and that the
 * installation key belongs to the store. Changes nothing.
 */
export const checkStore =
  (log: Logger): Check =>
  async (installation) => {
    const { config, status } = installation;
    const options = { dataDir: config.data_dir, databaseUrl: config.database_url };
    if (options.databaseUrl === undefined && status !== undefined) return [ofServer(status.store), sameClock];
    if (!hasStore(options)) return none(join(options.dataDir, 'store'));
    const source = await openCopySource(options, log);
    try {
      const found = await tables(source);
      const findings = [found, await clock(source, installation)];
      return found.state === 'wrong' ? findings : [...findings, await checkInstallationKey(source, config)];
    } finally {
      await source.close();
    }
  };

const sameClock: Finding = {
  part: 'clock',
  state: 'ok',
  detail: "the embedded store uses this machine's clock",
};

function none(path: string): Finding {
  return {
    part,
    state: 'warning',
    detail: `${path} does not exist yet`,
    remedy: 'the first start creates it; if there was one, restore a backup',
  };
}

function ofServer({ state, reason }: ServerStatus['store']): Finding {
  if (state === 'ready') return { part, state: 'ok', detail: 'the server can read and write it' };
  throw serviceError('storeUnavailable', {
    where: 'the store of the running server',
    reason: reason ?? state,
    fault: reason ?? 'unreachable',
  });
}

async function tables({ where, migrations }: CopySource): Promise<Finding> {
  const compared = await compareMigrations(migrations, MIGRATIONS);
  if (compared === 'same') return { part, state: 'ok', detail: `${where} has the tables of this version` };
  if (compared === 'older')
    return {
      part,
      state: 'warning',
      detail: `${where} has the tables of an earlier version`,
      remedy: 'the next start migrates them: make a backup first',
    };
  return {
    part,
    state: 'wrong',
    detail: `${where} has tables that this version does not know`,
    remedy: 'install the version that was used last, or a newer one: this version must not write to it',
  };
}

async function clock({ kind, clockAheadMs }: CopySource, { config }: Installation): Promise<Finding> {
  if (kind === 'pglite' || config.database_url === undefined) return sameClock;
  const aheadMs = await clockAheadMs();
  const detail = `the store's clock is ${Math.abs(aheadMs / 1_000).toFixed(2)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  if (Math.abs(aheadMs) < DOUBTFUL_CLOCK_MS) return { part: 'clock', state: 'ok', detail };
  return {
    part: 'clock',
    state: Math.abs(aheadMs) < WRONG_CLOCK_MS ? 'warning' : 'wrong',
    detail,
    remedy:
      'synchronize the clocks of both machines (chrony, systemd-timesyncd): second factors, expiry and invoices depend on them',
  };
}
