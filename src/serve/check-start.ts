import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../generated/config.ts';
import { readMailServer } from '../account/email/start-mail.ts';
import { checkInstallationKeyFile } from '../account/sealing/installation-key.ts';
import { assertNoConflicts } from '../core/config/load-config.ts';
import { assertOwner } from '../core/process/own-directory.ts';
import { becomeUser, withRightsOf } from '../core/process/system-user.ts';
import { ServiceError } from '../core/service-error.ts';
import { adminSocketPath } from '../operate/admin/ask-admin.ts';
import { checkHsmFiles } from '../signer/hsm/open-hsm.ts';
import { checkPglite } from '../store/pglite/open-pglite.ts';
import { openPostgres } from '../store/postgres/open-postgres.ts';
import { assertRestored } from '../store/unfinished-restore.ts';
import { assertGatewayUser, findReadingUsers } from './start-users.ts';

/**
 * Looks for the reasons for which a start with this configuration, which is valid in itself, would be refused: users, the data directory,
 * and the files that settings name, each read by the user that reads it at a start. Opens no port, store or token, and creates and changes
 * nothing. Afterwards the process is the gateway's user, if there is one.
 *
 * @returns the errors of that start, all of them.
 */
export async function checkStart(config: Config): Promise<readonly ServiceError[]> {
  const found: ServiceError[] = [];
  const attempt = async (step: () => unknown): Promise<boolean> => {
    try {
      await step();
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      found.push(error);
      return false;
    }
  };
  const dataDir = resolve(config.data_dir);
  const signerDir = join(dataDir, 'signer');

  // 1. What everybody reads.
  await attempt(() => assertRestored(dataDir));
  await attempt(() => adminSocketPath(config.data_dir));

  // 2. The users, and what belongs to them.
  let users: ReturnType<typeof findReadingUsers>;
  await attempt(() => {
    users = findReadingUsers(config);
  });
  const needsUsers = config.gateway_user !== undefined;
  if (needsUsers && users === undefined) return found;
  if (users !== undefined) {
    const { gateway, signer } = users;
    if (existsSync(dataDir)) await attempt(() => assertOwner(dataDir, gateway));
    if (existsSync(signerDir)) await attempt(() => assertOwner(signerDir, signer));
    await attempt(() => withRightsOf(signer, () => checkHsmFiles(config.hsm)));
    becomeUser(gateway);
    await attempt(() => assertGatewayUser(existsSync(dataDir) ? dataDir : dirname(dataDir), gateway));
    await attempt(() => assertNoConflicts(config));
  } else {
    await attempt(() => checkHsmFiles(config.hsm));
  }

  // 3. What the gateway reads.
  const { data_dir: path, database_url: databaseUrl, installation_key_file: file } = config;
  // A PostgreSQL is connected to on demand: here its address is read.
  const hasStore = await attempt(() =>
    databaseUrl === undefined ? checkPglite(path) : openPostgres(databaseUrl),
  );
  // One error is enough for a directory that can hold neither an embedded store nor a key.
  if (hasStore || databaseUrl !== undefined || file !== undefined)
    await attempt(() => checkInstallationKeyFile({ dataDir: path, file }));
  await attempt(() => readMailServer(config.mail));
  return found;
}
